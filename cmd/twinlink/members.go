package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/filemap"
)

// choosing is how a command picks pieces of device code from a file that holds
// several.
type choosing struct {
	arch, member string
	mercury      bool // leave cubins without a Mercury side out, where nothing is asked for
	budget       *container.Budget
	mapLarge     bool        // map large files: the caller watches mapped
	mapped       filemap.Set // files that are
}

// chooseMembers adds --arch and --member.
func chooseMembers(c *cobra.Command) *choosing {
	w := new(choosing)
	c.Flags().StringVar(&w.arch, "arch", "", "if a file has several pieces of device code: only those for sm_NN, compute_NN or lto_NN")
	c.Flags().StringVar(&w.member, "member", "", "of such a file: only those of a member, \"foo.o\" or \"foo.o:sm_90\", or of a section; \"twinlink list\" shows the names")
	return w
}

// piece is a cubin, and where it was found: "lib.a:foo.o:sm_90".
type piece struct {
	name string
	data []byte
}

// cubins returns the cubins in a file. A file that is no container is its own
// piece, whatever it is: who reads it says what is wrong with it.
func (w *choosing) cubins(name string) ([]piece, error) {
	data, err := w.read(name)
	if err != nil {
		return nil, err
	}
	f, err := w.open(name, data)
	if errors.Is(err, &container.Error{Kind: container.Unrecognized}) || err == nil && f.Format == container.DeviceCode {
		return []piece{{name, data}}, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := f.Select(w.arch, w.member)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for _, m := range list {
		if m.Kind != container.Cubin || w.mercury && w.arch == "" && w.member == "" && !m.Mercury() {
			continue
		}
		content, err := m.Data(w.budget)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, piece{m.Name(), content})
	}
	if len(pieces) == 0 {
		return nil, &container.Error{Kind: container.NoSuchMember, Path: name, Value: uint64(len(list)), Detail: "none of the selected members is a cubin that this command handles"}
	}
	return pieces, nil
}

func (w *choosing) read(name string) ([]byte, error) {
	if !w.mapLarge {
		return os.ReadFile(name)
	}
	return w.mapped.ReadFile(name)
}

// one returns the only cubin in a file.
func (w *choosing) one(name string) (piece, error) {
	list, err := w.cubins(name)
	if err != nil {
		return piece{}, err
	}
	if len(list) > 1 {
		names := make([]string, len(list))
		for i := range list {
			names[i] = list[i].name
		}
		const most = 8
		if len(names) > most {
			names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
		}
		return piece{}, badUsage("%s contains %d cubins: choose one with --arch or --member from %s", name, len(list), strings.Join(names, ", "))
	}
	return list[0], nil
}

func (w *choosing) open(name string, data []byte) (*container.File, error) {
	w.budget = container.NewBudget(len(data))
	return container.Open(name, data, container.Options{Read: os.ReadFile, Budget: w.budget})
}

// eachCubin calls do for every cubin of every file.
func (w *choosing) eachCubin(files []string, blank bool, s streams, do func(p piece) error) error {
	first := true
	return forEach(files, false, s, func(name string) error {
		list, err := w.cubins(name)
		if err != nil {
			return err
		}
		status := exitOK
		for _, p := range list {
			if !first && blank {
				fmt.Fprintln(s.out)
			}
			first = false
			if err := do(p); err != nil && len(list) == 1 {
				return err
			} else if err != nil {
				complain(s, err)
				status = max(status, statusOf(err))
			}
		}
		return ended(status)
	})
}
