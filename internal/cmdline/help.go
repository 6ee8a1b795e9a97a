package cmdline

import (
	"fmt"
	"slices"
	"strings"
)

// Usage is what --help prints: the options of a release, in our words.
func Usage(r Release, tool string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s [options] FILE...\n\nLinks relocatable cubins as nvlink %s does.\n\nOptions:\n", tool, r)
	for i := range Table {
		o := &Table[i]
		if o.Hidden || o.In&r == 0 {
			continue
		}
		o.usage(&b, ID(i), r)
	}
	b.WriteString("  --toolkit N.N\n        Release to behave as, one that \"twinlink version --all\" lists; default: that of the newest input.\n")
	return b.String()
}

func (o *Option) usage(b *strings.Builder, id ID, r Release) {
	fmt.Fprintf(b, "  --%s", o.Name)
	if o.Short != "" {
		fmt.Fprintf(b, ", -%s", o.Short)
	}
	if o.Value != "" {
		fmt.Fprintf(b, " %s", o.Value)
	}
	help := strings.ToUpper(o.Help[:1]) + o.Help[1:]
	fmt.Fprintf(b, "\n        %s", help)
	if o.Default != "" {
		fmt.Fprintf(b, "; default: %s", o.Default)
	}
	b.WriteString(".\n")
	if id == Arch {
		list := slices.Clone(SMs(r))
		for i := range list {
			list[i] = "sm_" + list[i]
		}
		fmt.Fprintf(b, "        One of %s.\n", strings.Join(list, " "))
	}
	if o.Effect == Compiled {
		b.WriteString("        With --lto-with only.\n")
	}
	if o.Effect == Refused {
		b.WriteString("        Not supported by twinlink.\n")
	}
}

// VersionText is what --version prints: whose work it is, and the release it
// behaves as in the line other programs look for.
func VersionText(r Release, tool string) string {
	release, build := r.Version()
	return fmt.Sprintf("%s: twinlink, a linker of device code that behaves as NVIDIA's nvlink %s\n%s\n%s\n", tool, r, release, build)
}
