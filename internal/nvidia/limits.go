package nvidia

import "time"

// Limits bounds one run. A zero field means its default.
//
// Memory, file size and processor time are limits of the kernel's and hold on
// Linux only; elsewhere the time limit alone stands.
type Limits struct {
	Time   time.Duration // wall clock; 30 s
	CPU    time.Duration // processor time, in whole seconds; more than Time leaves room for
	Text   int           // bytes kept of standard output, and of standard error; 1 MiB
	File   int64         // bytes of the largest file a tool may write; 256 MiB
	Memory int64         // bytes of address space; 8 GiB
}

// withDefaults returns l with its zero fields filled.
//
// 30 s is three times the slowest honest link seen (13.0, sm_100, 16,384
// functions). 256 MiB is ten times that link's output; nvlink 11.8 was seen to
// write 165 MB for a truncated 3 KB input before it was stopped.
func (l Limits) withDefaults() Limits {
	if l.Time <= 0 {
		l.Time = 30 * time.Second
	}
	if l.Text <= 0 {
		l.Text = 1 << 20
	}
	if l.File <= 0 {
		l.File = 256 << 20
	}
	if l.Memory <= 0 {
		l.Memory = 8 << 30
	}
	return l
}
