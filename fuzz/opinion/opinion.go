// Package opinion asks everybody about a link: the engine, nvlink of the link's release where it is installed, and the
// oracle. [Opinions.Key] says in a few words how they part, which is what a reduction keeps; [Opinions.Traces] says at
// length what each of them has to say.
package opinion

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/engine"
	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/diff"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/oracle/check"
)

// Opinions are whom a link is put to, besides the engine and the oracle.
type Opinions struct{ Set *nvidia.Toolset }

// Trace is what one witness has to say.
type Trace struct {
	Witness string
	Text    string
}

// Find returns the opinions there are: without NVIDIA's tools where none is installed.
func Find(ctx context.Context) (Opinions, error) {
	set, err := nvidia.Find(ctx, nvidia.Options{})
	if err != nil && !errors.As(err, new(*nvidia.NotFoundError)) {
		return Opinions{}, err
	}
	return Opinions{set}, nil
}

// Key says how they part, "" where they don't.
func (o Opinions) Key(ctx context.Context, c *reduce.Case) string {
	image, text, err := engineOf(c)
	if err != nil {
		return "engine: " + err.Error()
	}
	oracle := ""
	if image != nil {
		v, err := oracleOf(c, image)
		if err != nil {
			return "oracle: " + err.Error()
		}
		if v.Total > 0 {
			oracle = "oracle: " + Cause(&v).String()
		}
	}
	res, err := o.nvlink(ctx, c)
	if err != nil {
		return ""
	}
	if res != nil {
		switch {
		case res.Outcome == nvidia.Crashed:
			return fmt.Sprintf("nvlink dies of signal %d", int(res.Signal))
		case res.Outcome == nvidia.Hung:
			return "nvlink hangs"
		case res.Outcome == nvidia.Success && image == nil:
			return "engine refuses: " + general(text)
		case res.Outcome == nvidia.Refused && image != nil:
			return "nvlink refuses: " + general(res.Message())
		case res.Outcome == nvidia.Success && !bytes.Equal(image, res.Output):
			return strings.TrimSpace("image: " + firstDifference(image, res.Output) + " " + oracle)
		}
	}
	return oracle
}

// Cause is the kind of the finding that tells most of why others are there: a pointer that stays zero takes a function along, and a
// shared variable that has a place early is in fields.
func Cause(v *check.Verdict) check.Kind {
	for _, kind := range []check.Kind{check.PointerMissing, check.SharedPlace} {
		if slices.ContainsFunc(v.Findings, func(f check.Finding) bool { return f.Kind == kind }) {
			return kind
		}
	}
	return v.Findings[0].Kind
}

// Traces returns what each witness says of a link.
func (o Opinions) Traces(ctx context.Context, c *reduce.Case) []Trace {
	list := []Trace{{"link", "nvlink " + c.Release + " " + strings.Join(c.Args(), " ")}}
	image, text, err := engineOf(c)
	switch {
	case err != nil:
		text = err.Error()
	case image != nil:
		text = imageText(image)
	}
	list = append(list, Trace{"engine", text})
	if image != nil {
		if v, err := oracleOf(c, image); err != nil {
			list = append(list, Trace{"oracle", err.Error()})
		} else {
			list = append(list, Trace{"oracle", v.String()})
		}
	}
	res, err := o.nvlink(ctx, c)
	switch {
	case err != nil:
		list = append(list, Trace{"nvlink", err.Error()})
	case res == nil:
		list = append(list, Trace{"nvlink", "release " + c.Release + " is not installed"})
	default:
		text := res.String() + "\n" + res.Message()
		if res.Outcome == nvidia.Success {
			text = imageText(res.Output) + "\n" + text
			if image != nil && !bytes.Equal(image, res.Output) {
				text += "\nfirst difference: " + firstDifference(image, res.Output)
			}
		}
		list = append(list, Trace{"nvlink", text})
	}
	return list
}

func imageText(image []byte) string {
	return fmt.Sprintf("image of %d bytes, SHA-256 %x", len(image), sha256.Sum256(image))
}

// nvlink returns what nvlink of the link's release says, nothing where it isn't installed.
func (o Opinions) nvlink(ctx context.Context, c *reduce.Case) (*nvidia.Result, error) {
	if o.Set == nil || !slices.Contains(o.Set.Releases(), c.Release) {
		return nil, nil
	}
	var files []nvidia.File
	for _, in := range c.Inputs {
		files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
	}
	return o.Set.Link(ctx, c.Release, c.Options, files)
}

// engineOf links; an error is a panic.
func engineOf(c *reduce.Case) (image []byte, text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %s", general(fmt.Sprint(p)))
		}
	}()
	release, ok := cmdline.ParseRelease(c.Release)
	if !ok {
		return nil, "", fmt.Errorf("release %q is not known", c.Release)
	}
	cmd, err := cmdline.Parse(release, c.Args(), func(string) ([]byte, error) { return nil, fs.ErrNotExist })
	if err != nil {
		return nil, err.Error(), nil
	}
	var in []engine.Input
	for _, f := range c.Inputs {
		in = append(in, engine.Input{Name: f.Name, Data: f.Data})
	}
	out, err := engine.Link(in, cmd.Options)
	if err != nil {
		return nil, err.Error(), nil
	}
	return out.Image, "", nil
}

// oracleOf shows an image to the oracle; an error is a panic.
func oracleOf(c *reduce.Case, image []byte) (v check.Verdict, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %s", general(fmt.Sprint(p)))
		}
	}()
	var in []check.Input
	for _, f := range c.Inputs {
		in = append(in, check.Input{Name: f.Name, Data: f.Data})
	}
	return check.Check(in, image, CheckOptions(c.Release, c.Options)), nil
}

// Oracle says in a line what the oracle makes of an image: "accepts", "rejects KIND, KIND", or that it doesn't judge it.
func Oracle(c *reduce.Case, image []byte) string {
	v, err := oracleOf(c, image)
	switch {
	case err != nil:
		return err.Error()
	case v.Agrees():
		return "accepts"
	case v.Total == 0:
		return "doesn't judge"
	}
	var kinds []string
	for _, f := range v.Findings {
		kinds = append(kinds, f.Kind.String())
	}
	slices.Sort(kinds)
	return "rejects " + strings.Join(slices.Compact(kinds), ", ")
}

var particular = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`'[^']*'|0x[0-9a-f]+|\d+|\S+\.cubin`)
})

// general is the first line of a message without names and numbers.
func general(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return particular().ReplaceAllString(line, "_")
}

// firstDifference names the kind of the first difference of two images: without names and numbers.
func firstDifference(a, b []byte) string {
	list, err := diff.Compare(diff.Input{Name: "engine", Data: a}, diff.Input{Name: "nvlink", Data: b})
	if err != nil || len(list) == 0 {
		return "bytes"
	}
	key := list[0].Key // the header's follows from another
	if i := slices.IndexFunc(list, func(k diff.Difference) bool { return !strings.HasPrefix(k.Key, "header.") }); i >= 0 {
		key = list[i].Key
	}
	parts := strings.Split(key, ".")
	return parts[0] + " " + particular().ReplaceAllString(parts[len(parts)-1], "_")
}
