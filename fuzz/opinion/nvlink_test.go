//go:build unix

package opinion

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/fuzz/reduce"
	"github.com/twinlink/twinlink/internal/nvidia"
)

// fake makes an nvlink 13.0 of a shell script, which writes image to out.cubin when it is asked to.
func fake(t *testing.T, image []byte, body string) Opinions {
	t.Helper()
	dir := t.TempDir()
	text := "#!/bin/sh\nif [ \"$1\" = --version ]; then cat <<'END'\nnvlink: NVIDIA (R) Cuda linker\nCopyright (c) 2005-2025 NVIDIA Corporation\n" +
		"Built on Wed_Aug_20_01:58:59_PM_PDT_2025\nCuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0.r13.0/compiler.36424714_0\nEND\nexit 0; fi\n" +
		strings.ReplaceAll(body, "LINK", "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && cp "+filepath.Join(dir, "image")+" \"$2\"; shift; done") + "\n"
	for name, data := range map[string]string{"nvlink": text, "image": string(image)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	set, err := nvidia.Find(t.Context(), nvidia.Options{Nvlink: filepath.Join(dir, "nvlink"), Dir: dir, Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return Opinions{set}
}

// How engine, oracle and nvlink part, for every way in which nvlink ends.
func TestKey(t *testing.T) {
	c := sound(t)
	image, _, err := engineOf(c)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(image)
	other[len(other)/2] ^= 1
	refused := sound(t)
	refused.Options = append(refused.Options, "--no-such-option")
	for _, k := range []struct {
		name, body string
		image      []byte
		refused    bool
		want       string
	}{
		{"the same", "LINK", image, false, ""},
		{"another image", "LINK", other, false, "image: " + firstDifference(image, other)},
		{"a refusal", "echo \"nvlink error   : Undefined reference to 'f' in 'a.cubin'\" >&2; exit 255", nil, false, "nvlink refuses: nvlink error   : Undefined reference to _ in _"},
		{"both refuse", "echo no >&2; exit 255", nil, true, ""},
		{"the engine alone refuses", "LINK", image, true, "engine refuses: "},
		{"nvlink dies", "kill -SEGV $$", nil, false, "nvlink dies of signal 11"},
	} {
		o := fake(t, k.image, k.body)
		asked := c
		if k.refused {
			asked = refused
		}
		got := o.Key(t.Context(), asked)
		if k.want == "engine refuses: " {
			_, text, _ := engineOf(refused)
			k.want += general(text)
		}
		if got != k.want {
			t.Errorf("%s: %q, want %q", k.name, got, k.want)
		}
	}
	// Of another release nobody is asked.
	old := sound(t)
	old.Release = "12.4"
	if res, err := fake(t, other, "LINK").nvlink(t.Context(), old); res != nil || err != nil {
		t.Errorf("%v, %v", res, err)
	}
}

// What is told of nvlink: its image, what it printed, and where the engine's image is another first.
func TestTracesOfNvlink(t *testing.T) {
	c := sound(t)
	image, _, err := engineOf(c)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Clone(image)
	other[len(other)/2] ^= 1
	last := func(o Opinions, witness string) string {
		t.Helper()
		list := o.Traces(t.Context(), c)
		if x := list[len(list)-1]; x.Witness == witness {
			return x.Text
		}
		t.Fatalf("%+v", list)
		return ""
	}
	same := last(fake(t, image, "LINK; echo 'nvlink warning : w' >&2"), "nvlink")
	if !strings.HasPrefix(same, imageText(image)+"\n") || !strings.Contains(same, "nvlink warning : w") || strings.Contains(same, "first difference") {
		t.Errorf("%q", same)
	}
	differs := last(fake(t, other, "LINK"), "nvlink")
	if !strings.HasPrefix(differs, imageText(other)+"\n") || !strings.HasSuffix(differs, "\nfirst difference: "+firstDifference(image, other)) {
		t.Errorf("%q", differs)
	}
	refusal := last(fake(t, nil, "echo 'nvlink error : e' >&2; exit 255"), "nvlink")
	if strings.HasPrefix(refusal, "image") || !strings.Contains(refusal, "nvlink error : e") {
		t.Errorf("%q", refusal)
	}
}

// Without tools there are no opinions but no error either; a named tool that is none is an error.
func TestFind(t *testing.T) {
	empty := t.TempDir()
	t.Chdir(empty)
	t.Setenv("PATH", empty)
	t.Setenv("TWINLINK_WITNESS", "")
	o, err := Find(t.Context())
	if err != nil {
		t.Fatalf("%v", err)
	}
	if key := o.Key(t.Context(), &reduce.Case{Release: "1.0"}); key != `engine: release "1.0" is not known` {
		t.Errorf("%q", key)
	}
	t.Setenv("TWINLINK_NVLINK", filepath.Join(empty, "none"))
	if _, err := Find(t.Context()); err == nil || errors.As(err, new(*nvidia.NotFoundError)) {
		t.Errorf("%v", err)
	}
}
