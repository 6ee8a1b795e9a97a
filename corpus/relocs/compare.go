package relocs

import (
	"bytes"
	"fmt"
	"slices"
)

// Answer is what a linker under test did with a vector's inputs.
type Answer struct {
	Exit    int    // exit status; 0 with an image
	Message string // what it said on standard error
	Image   []byte // nil where it refused
}

// Difference says how an answer departs from what nvlink did.
type Difference struct {
	ID      string
	Release string
	What    string // "image", "refusal", "message", "place", "record", "checksum"
	Got     string
	Want    string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s, nvlink %s: %s: got %s, want %s", d.ID, d.Release, d.What, d.Got, d.Want)
}

// Compare holds an answer against what nvlink of a release did. The error is a
// *Difference that names the first thing that differs: the place and its records
// before the checksum of the whole image.
//
// Of an Acceptable result the class of the outcome is asked: an image where
// nvlink wrote one, and where it died or hung a refusal that says something, or an
// image that can be read. Messages are compared where nvlink refused.
func (v *Vector) Compare(release string, inputs []Input, got Answer) error {
	want, ok := v.Result(release)
	if !ok {
		return &Difference{v.ID, release, "release", release, fmt.Sprint(v.Releases())}
	}
	differ := func(what string, got, want any) error {
		return &Difference{v.ID, release, what, fmt.Sprint(got), fmt.Sprint(want)}
	}
	switch want.Verdict {
	case Acceptable:
		return v.compareClass(release, inputs, want, got)
	case Invalid:
		if got.Image != nil || got.Exit == 0 {
			return differ("refusal", "an image", want.Message)
		}
		if got.Message != want.Message {
			return differ("message", got.Message, want.Message)
		}
		if got.Exit != want.Exit {
			return differ("exit", got.Exit, want.Exit)
		}
		return nil
	}
	if got.Image == nil {
		return differ("image", fmt.Sprintf("exit %d %s", got.Exit, got.Message), "an image")
	}
	seen, err := v.Observe(inputs, got.Image)
	if err != nil {
		return differ("image", err, "an image")
	}
	switch {
	case seen.Gone != want.Gone:
		return differ("gone", seen.Gone, want.Gone)
	case !bytes.Equal(seen.After, want.After):
		return differ("place", fmt.Sprintf("%x", seen.After), fmt.Sprintf("%x", want.After))
	case !slices.EqualFunc(seen.Changed, want.Changed, equalRun):
		return differ("changes", seen.Changed, want.Changed)
	case !slices.Equal(seen.Kept, want.Kept):
		return differ("records", seen.Kept, want.Kept)
	case !slices.Equal(seen.Counterpart, want.Counterpart):
		return differ("counterpart records", seen.Counterpart, want.Counterpart)
	case !slices.Equal(seen.Saved, want.Saved):
		return differ("preserved records", seen.Saved, want.Saved)
	}
	if sum, at := Checksum(got.Image), slices.Index(want.Releases, release); at < len(want.Images) && sum != want.Images[at] {
		return differ("checksum", sum, want.Images[at])
	}
	return nil
}

// compareClass asks what can be asked where nvlink's own bytes mean nothing.
func (v *Vector) compareClass(release string, inputs []Input, want Result, got Answer) error {
	if got.Image == nil {
		if want.Did == Linked {
			return &Difference{v.ID, release, "class", fmt.Sprintf("exit %d %s", got.Exit, got.Message), "an image"}
		}
		if got.Exit == 0 || got.Message == "" {
			return &Difference{v.ID, release, "class", fmt.Sprintf("exit %d, message %q", got.Exit, got.Message), "a refusal that says why"}
		}
		return nil
	}
	if _, err := v.Observe(inputs, got.Image); err != nil {
		return &Difference{v.ID, release, "class", err.Error(), "an image that can be read"}
	}
	return nil
}

func equalRun(a, b Run) bool {
	return a.Section == b.Section && a.Offset == b.Offset && bytes.Equal(a.Bytes, b.Bytes)
}

// Same reports whether two results tell the same outcome, whatever the
// releases and the checksums.
func (r Result) Same(o Result) bool {
	return r.Verdict == o.Verdict && r.Did == o.Did && r.Exit == o.Exit && r.Message == o.Message && r.Gone == o.Gone &&
		bytes.Equal(r.After, o.After) && slices.EqualFunc(r.Changed, o.Changed, equalRun) &&
		slices.Equal(r.Kept, o.Kept) && slices.Equal(r.Counterpart, o.Counterpart) && slices.Equal(r.Saved, o.Saved)
}
