package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/twinlink/twinlink/fuzz"
	"github.com/twinlink/twinlink/internal/diff"
)

// stable asks a question again where nothing that is asked has changed.
func (s *search) stable(ctx context.Context, q *fuzz.Question) (wrong []string) {
	args := slices.Concat(q.Args, names(q.Inputs))
	first := s.ask(ctx, q.Release, q.Inputs, args, nil, nil, "a")
	for _, other := range []struct {
		what        string
		before, env []string
		folder      string
	}{
		{"again", nil, nil, "a"},
		{"fresh memory of 0x55", nil, []string{"MALLOC_PERTURB_=85"}, "a"},
		{"fresh memory of 0xff", nil, []string{"MALLOC_PERTURB_=255", "MALLOC_TOP_PAD_=65536"}, "a"},
		{"without random addresses", []string{"setarch", "-R"}, nil, "a"},
		{"in a folder of another length", nil, nil, "another_folder/below"},
	} {
		a := s.ask(ctx, q.Release, q.Inputs, args, other.before, other.env, other.folder)
		switch {
		case a.exit != first.exit:
			wrong = append(wrong, fmt.Sprintf("%s: exit status %d, before %d", other.what, a.exit, first.exit))
		case !bytes.Equal(a.image, first.image):
			wrong = append(wrong, other.what+": another image, "+differ(first.image, a.image))
		case a.text != first.text:
			wrong = append(wrong, other.what+": other messages")
		}
	}
	return wrong
}

// differ names the first key in which two images differ.
func differ(a, b []byte) string {
	list, err := diff.Compare(diff.Input{Name: "a", Data: a}, diff.Input{Name: "b", Data: b})
	if err != nil || len(list) == 0 {
		return "in bytes that no table has"
	}
	return fmt.Sprintf("%s and %d more", list[0].Key, len(list)-1)
}
