package worker

import (
	"bufio"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/twinlink/twinlink/internal/nvjitlink/wire"
)

// Main serves and exits where the environment asks for a worker, and else
// returns at once.
func Main() {
	path, ok := os.LookupEnv(wire.ServeVariable)
	if !ok {
		return
	}
	runtime.LockOSThread()
	go exitWithParent()
	debug.SetGCPercent(1000) // there is little besides the question and the answer
	limits := limitsOf(os.Getenv(wire.LimitsVariable))
	limitSelf(limits.memory, limits.file)
	err := serve(path, limits, os.NewFile(wire.QuestionsFD, "questions"), os.NewFile(wire.AnswersFD, "answers"))
	if err != nil && !errors.Is(err, io.EOF) {
		os.Stderr.WriteString("worker: " + err.Error() + "\n")
		os.Exit(wire.ExitProtocol)
	}
	os.Exit(0)
}

// exitWithParent ends the process when standard input does, also while the
// library works.
func exitWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

type limits struct {
	text, file, memory uint64
}

func limitsOf(list string) limits {
	l := limits{1 << 20, 256 << 20, 8 << 30}
	for i, field := range strings.SplitN(list, ",", 3) {
		if v, err := strconv.ParseUint(field, 10, 63); err == nil && v > 0 {
			*[...]*uint64{&l.text, &l.file, &l.memory}[i] = v
		}
	}
	return l
}

// serve greets, and then answers until the questions end.
func serve(path string, l limits, questions, answers *os.File) error {
	// Each answer is handed over at once: the next question may be the last, and
	// must not take the answers before it along.
	out := bufio.NewWriterSize(answers, 1<<16)
	send := func(a *wire.Answer, buf []byte) ([]byte, error) {
		buf = wire.AppendAnswer(buf[:0], a)
		if err := wire.WriteFrame(out, buf); err != nil {
			return buf, err
		}
		return buf, out.Flush()
	}
	lib, greeting := load(path)
	greeting.Protocol = wire.Version
	reply, err := send(&greeting, nil)
	if err != nil || lib == nil {
		return err
	}
	printed := &printed{limit: int64(l.text)}
	printed.take() // what the library printed while it was loaded
	lib.limits = l
	in := bufio.NewReaderSize(questions, 1<<16)
	var question []byte
	for {
		if question, err = wire.ReadFrame(in, question); err != nil {
			return err
		}
		q, err := wire.ReadQuestion(question)
		if err != nil {
			return err
		}
		a := lib.link(q)
		runtime.KeepAlive(question)
		a.Text, a.Lost = printed.take()
		if reply, err = send(a, reply); err != nil {
			return err
		}
	}
}
