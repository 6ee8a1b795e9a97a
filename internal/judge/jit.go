package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvjitlink"
)

// jitAll links the inputs of a bed's links by nvJitLink of a release, into a bed of its
// own: those without options, or with ones that nvJitLink knows too.
func jitAll(ctx context.Context, dir, only, to, release string) error {
	libs := nvjitlink.Find(nvjitlink.Options{})
	i := slices.IndexFunc(libs, func(l nvjitlink.SharedObject) bool { return l.Release == release })
	if i < 0 {
		return fmt.Errorf("no nvJitLink %s", release)
	}
	linker := nvjitlink.New(libs[i], nvjitlink.Options{})
	defer linker.Close()
	list, err := linksIn(dir, only)
	if err != nil {
		return err
	}
	made, refused := 0, 0
	for _, folder := range list {
		l, inputs, _, err := load(folder)
		if err != nil {
			return err
		}
		other := slices.ContainsFunc(l.Args, func(a string) bool { return a != "-g" && !strings.HasPrefix(a, "-kernels-used=") })
		if other || l.Release > release {
			continue
		}
		q := nvjitlink.Question{Options: []string{"-arch=" + l.Arch}}
		for _, a := range l.Args {
			names, filter := strings.CutPrefix(a, "-kernels-used=")
			if !filter {
				q.Options = append(q.Options, a)
				continue
			}
			for _, name := range strings.Split(names, ",") { // one option takes one name here
				q.Options = append(q.Options, "-kernels-used="+name)
			}
		}
		var files []nvidia.File
		for _, in := range inputs {
			q.Inputs = append(q.Inputs, nvjitlink.Input{Kind: nvjitlink.Cubin, Name: in.Name, Data: in.Data})
			files = append(files, nvidia.File{Name: in.Name, Data: in.Data})
		}
		res, err := linker.Link(ctx, q)
		if err != nil {
			return err
		}
		if res.Outcome != nvjitlink.Linked {
			refused++
			continue
		}
		l.Release, l.Tags = release, []string{"jit"}
		l.Name = filepath.Base(folder) + "-" + release
		if err := l.write(to, files, res.Output); err != nil {
			return err
		}
		made++
	}
	fmt.Fprintf(os.Stdout, "%d made, %d refused\n", made, refused)
	return nil
}
