package power

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// store is a file with a result a line, so that a run can be made in portions.
type store struct {
	known map[string]Result // what need not be tried again, by Fault.Hash

	mu   sync.Mutex
	file *os.File
}

func openStore(name string, resume bool) (*store, error) {
	s := &store{known: map[string]Result{}}
	if name == "" {
		if resume {
			return nil, fmt.Errorf("power: to resume needs a file of results")
		}
		return s, nil
	}
	if resume {
		list, err := ReadResults(name)
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if delete(s.known, r.Hash); r.Outcome == Killed || r.Outcome == Equivalent {
				s.known[r.Hash] = r
			}
		}
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if !resume {
		flags |= os.O_TRUNC
	}
	var err error
	s.file, err = os.OpenFile(name, flags, 0o644)
	return s, err
}

// ReadResults reads a file of results; one that isn't there has none.
func ReadResults(name string) ([]Result, error) {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []Result
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var r Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		list = append(list, r)
	}
	return list, lines.Err()
}

func (s *store) add(r Result) error {
	if s.file == nil || r.Outcome == Planted {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.file.Write(append(line, '\n'))
	return err
}

func (s *store) close() {
	if s.file != nil {
		s.file.Close()
	}
}
