package opinion

import (
	"strings"

	"github.com/twinlink/twinlink/oracle/check"
)

// CheckOptions are the options as the oracle is told them.
func CheckOptions(release string, args []string) check.Options {
	o := check.Options{Toolkit: release}
	for _, a := range args {
		name, value, _ := strings.Cut(a, "=")
		switch name {
		case "-arch":
			o.Arch = value
		case "-g":
			o.Debug = true
		case "-r":
			o.Relocatable = true
		case "--preserve-relocs":
			o.PreserveRelocs = true
		case "--force-rela":
			o.ForceRela = true
		case "--reserve-null-pointer":
			o.ReserveNull = true
		case "--disable-smem-reservation":
			o.NoReserved = true
		case "-suppress-debug-info":
			o.SuppressDebug = true
		case "-kernels-used":
			o.KernelsUsed = append(o.KernelsUsed, strings.Split(value, ",")...)
		case "-variables-used":
			o.VariablesUsed = append(o.VariablesUsed, strings.Split(value, ",")...)
		}
	}
	return o
}
