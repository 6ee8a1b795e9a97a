package power

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Fault is a mistake that a person could have made.
type Fault struct {
	Area string // file of the list it is in
	Name string
	File string // where, from the root of the repository
	Old  string // text that the file has once
	New  string // what is there in the faulty program

	Equivalent string // why no detector can find it
	Proof      string // "PACKAGE TEST": a test that passes with the fault and shows that it changes nothing

	at      int    // where Old is, of a drawn fault
	drawn   bool   // it is in no list
	context string // the lines it is in and its kind, of a drawn fault
}

// ID names a fault among all.
func (f *Fault) ID() string { return f.Area + "/" + f.Name }

// find returns where in its file's text the fault is, or -1.
func (f *Fault) find(text []byte) int {
	if f.drawn {
		return f.at
	}
	if bytes.Count(text, []byte(f.Old)) != 1 {
		return -1
	}
	return bytes.Index(text, []byte(f.Old))
}

// Hash names the fault by its content, whatever it is called.
func (f *Fault) Hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q%q%d%q%q", f.File, f.Old, f.at, f.New, f.Equivalent)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Detector is something that may fail.
type Detector struct {
	Name     string // "corpus", "storm", "fuzz", "live"
	Packages []string
	Args     []string // of go test
}

// Area is a part of the program with its faults, and the detectors for them, the cheapest first.
type Area struct {
	Name      string
	Detectors []Detector
	Faults    []Fault
}

//go:embed faults/*.txt
var lists embed.FS

// Areas reads all lists.
func Areas() ([]Area, error) { return readAreas(lists) }

func readAreas(files fs.FS) ([]Area, error) {
	names, err := fs.Glob(files, "faults/*.txt")
	if err != nil {
		return nil, err
	}
	var list []Area
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		a, err := readArea(strings.TrimSuffix(path.Base(name), ".txt"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, *a)
	}
	return list, nil
}

func readArea(name, text string) (*Area, error) {
	a := &Area{Name: name}
	seen := map[string]bool{}
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		value, err := unquote(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		if key == "detector" {
			d, err := readDetector(value)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			a.Detectors = append(a.Detectors, d)
			continue
		}
		if key == "fault" {
			if value == "" || seen[value] {
				return nil, fmt.Errorf("line %d: fault %q again, or without a name", n+1, value)
			}
			seen[value] = true
			a.Faults = append(a.Faults, Fault{Area: name, Name: value})
			continue
		}
		if len(a.Faults) == 0 {
			return nil, fmt.Errorf("line %d: %s before the first fault", n+1, key)
		}
		f := &a.Faults[len(a.Faults)-1]
		field, ok := map[string]*string{"file": &f.File, "old": &f.Old, "new": &f.New, "equivalent": &f.Equivalent, "proof": &f.Proof}[key]
		if !ok {
			return nil, fmt.Errorf("line %d: no field %q", n+1, key)
		}
		*field = value
	}
	for i := range a.Faults {
		if f := &a.Faults[i]; f.File == "" || f.Old == "" || f.Old == f.New {
			return nil, fmt.Errorf("fault %s: no file, no text, or no change", f.Name)
		}
	}
	if len(a.Detectors) == 0 || len(a.Faults) == 0 {
		return nil, fmt.Errorf("no detector, or no fault")
	}
	return a, nil
}

func unquote(value string) (string, error) {
	if strings.HasPrefix(value, `"`) {
		return strconv.Unquote(value)
	}
	return strings.ReplaceAll(value, `\n`, "\n"), nil
}

// readDetector reads "NAME PACKAGE[,PACKAGE] ARGUMENT...".
func readDetector(value string) (Detector, error) {
	words := strings.Fields(value)
	if len(words) < 2 {
		return Detector{}, fmt.Errorf("detector %q", value)
	}
	return Detector{Name: words[0], Packages: strings.Split(words[1], ","), Args: words[2:]}, nil
}
