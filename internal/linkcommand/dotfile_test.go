package linkcommand

import (
	"os"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/engine"
)

// By nvlink 13.0.88: what --dump-callgraph prints of a program and what
// --dot-file holds of it.
func TestDotFile(t *testing.T) {
	lines := []string{
		"callgraph for sm_90:", "# A: s -> B // s (number A) potentially calls B", "# s [N]     // s uses N registers",
		"1: ^_Z2vkPi [24] -> 5 4 3 2", "2: _Z2mki [43] -> 6", "3: free ->", "4: &_ZN1D1gEi [24] ->", "5: &_ZN1C1gEi [24] ->", "6: malloc ->",
		"7: ^_Z2rkPi [24] -> 8 8", "8: &_Z3fibi [24] -> 8",
	}
	var diags []engine.Diagnostic
	for _, l := range lines {
		diags = append(diags, engine.Diagnostic{Severity: engine.Plain, Text: l})
	}
	want := `digraph callgraph {
_Z2vkPi -> _ZN1C1gEi;
_Z2vkPi -> _ZN1D1gEi;
_Z2vkPi -> free;
_Z2vkPi -> _Z2mki;
_Z2mki -> malloc;
_Z2rkPi -> _Z3fibi;
_Z2rkPi -> _Z3fibi;
_Z3fibi -> _Z3fibi;
}
`
	if got := string(dotText(diags)); got != want {
		t.Errorf("got\n%s", got)
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
