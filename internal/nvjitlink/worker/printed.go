package worker

import (
	"os"
	"syscall"
)

// printed is the file that is kept for standard output and error.
type printed struct {
	limit int64
}

// take returns what was printed since the last call, at most limit bytes, and
// how many more there were.
func (p *printed) take() (text []byte, lost uint64) {
	var st syscall.Stat_t
	if syscall.Fstat(int(os.Stdout.Fd()), &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Size == 0 {
		return nil, 0
	}
	text = make([]byte, min(st.Size, p.limit))
	n, err := syscall.Pread(int(os.Stdout.Fd()), text, 0)
	if err != nil {
		n = 0
	}
	_ = syscall.Ftruncate(int(os.Stdout.Fd()), 0)
	return text[:n], uint64(st.Size - int64(n))
}
