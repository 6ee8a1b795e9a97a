package linkcommand

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What nvlink 13.0.88 and 13.5.37 write to --dot-file: with -r and where a function is undefined too.
func TestDotFile(t *testing.T) {
	const calls, undefined = "../../corpus/testdata/links/calls/13.0-sm_90/", "../../corpus/testdata/links/err_undefined_function/13.0-sm_80/"
	name := filepath.Join(t.TempDir(), "calls.dot")
	for _, release := range []string{"13.0", "13.5"} {
		for _, c := range []struct {
			edges string
			args  []string
		}{
			{"second -> twice;\nfirst -> chain;\nfirst -> twice;\ndead -> twice;\n", []string{"-arch=sm_90", "-r", calls + "a.cubin", calls + "c.cubin"}},
			{"second -> twice;\nfirst -> chain;\nfirst -> twice;\n", []string{"-arch=sm_90", calls + "a.cubin", calls + "c.cubin"}},
			{"second -> twice;\n", []string{"-arch=sm_90", "-kernels-used=second", calls + "a.cubin", calls + "c.cubin"}},
			{"ke1 -> middle;\nke1 -> gone;\nmiddle -> gone_later;\n", []string{"-arch=sm_80", undefined + "a.cubin", undefined + "b.cubin"}},
		} {
			linked(t, append(c.args, "-toolkit="+release, "--dot-file="+name)...)
			if got, err := os.ReadFile(name); err != nil || string(got) != "digraph callgraph {\n"+c.edges+"}\n" {
				t.Errorf("%s %s: %v, got\n%s", release, c.args, err, got)
			}
		}
	}
}

// -ghls=lcs-aug prints the same three lines in every release; with inputs it is
// refused.
func TestHostScript(t *testing.T) {
	t.Chdir(t.TempDir())
	nvlink := func(args ...string) (exit int, printed, messages string) {
		var out, err strings.Builder
		exit = Run(Call{Tool: NvlinkName, Out: &out, Err: &err}, args)
		return exit, out.String(), err.String()
	}
	if exit, printed, _ := nvlink("-ghls=lcs-aug"); exit != 0 || printed != hostSections {
		t.Errorf("exit %d, %q", exit, printed)
	}
	exit, _, messages := nvlink("-ghls=lcs-aug", "-o", "s.ld")
	if data, err := os.ReadFile("s.ld"); exit != 0 || messages != "" || err != nil || string(data) != hostSections {
		t.Errorf("exit %d, %q, %v, %q", exit, messages, err, data)
	}
	const refused = "nvlink fatal   : Input files are not allowed with -ghls option; use --help for more information\n"
	if exit, _, messages := nvlink("-ghls=lcs-aug", "a.o"); exit != 1 || messages != refused {
		t.Errorf("exit %d, %q", exit, messages)
	}
}
