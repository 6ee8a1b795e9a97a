// Package inputs makes the objects of a link from the files of a command line,
// as nvlink does: which device code of a host object, archive or fatbinary is
// linked for the target, by which name the host registers it, and what of it
// the host refers to.
//
// Files are added one after the other, since what nvlink says of one comes
// before it opens the next:
//
//	set := inputs.New(cmd, os.ReadFile)
//	for _, name := range cmd.Inputs {
//		for _, d := range set.Add(name) { … }
//	}
//
// Source: some 400 links of host objects, archives and fatbinaries made for the
// purpose by nvlink 11.8.89, 12.4.131, 13.0.88 and 13.5.37; docs/inputs.md.
package inputs
