//go:build unix

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/twinlink/twinlink/oracle/check"
)

// judgeFlag makes this program check a link: the target, the output, the inputs.
const judgeFlag = "-judge"

// judge is that program.
func judge(arch, output string, inputs []string) error {
	var list []check.Input
	for _, name := range inputs {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		list = append(list, check.Input{Name: name, Data: data})
	}
	data, err := os.ReadFile(output)
	if err != nil {
		return err
	}
	if v := check.Check(list, data, check.Options{Arch: arch}); !v.Agrees() {
		return fmt.Errorf("not accepted:\n%.2000s", v)
	}
	return nil
}

// checks has each shape linked in two sizes, the larger of about 65,000 functions
// where it has calls, and measures the check.
func (b *bench) checks() {
	fmt.Fprintln(b.out, "\nchecked\tmodules\tCPU ms\tMiB\tmodules\tCPU ms\tMiB\texponent\t")
	list := []shape{{name: "functions, sm_80", target: "sm_80", release: "11.8", next: around, modules: 256}}
	for _, s := range append(list, shapes...) {
		if s.next != nil && s.modules == 256 && s.source != nil && !b.quick {
			s.modules = 680
		}
		if b.wants(&s) {
			if err := b.growCheck(&s); err != nil {
				b.leave("check of "+s.name, err)
			}
		}
	}
	_ = b.out.Flush()
}

// growCheck measures the check of a shape in two sizes.
func (b *bench) growCheck(s *shape) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return b.twoSizes(s, 4, func(inputs []string) (program, error) {
		link := b.ours(s, inputs)
		if _, err := link.once(b.dir); err != nil {
			return program{}, err
		}
		return program{"check", append([]string{self, judgeFlag, s.target, filepath.Join(b.dir, "ours")}, inputs...)}, nil
	})
}

// twoSizes runs what a shape asks for in two sizes, and prints the exponent of growth.
func (b *bench) twoSizes(s *shape, times int, of func(inputs []string) (program, error)) error {
	template, err := b.module(s)
	if err != nil {
		return err
	}
	var cpu [2]float64
	row := s.name
	for i, n := range []int{s.modules, s.modules * times} {
		inputs, err := b.write(s, template, n)
		if err != nil {
			return err
		}
		p, err := of(inputs)
		if err != nil {
			return err
		}
		all, err := takeTurns(b.dir, []program{p}, min(b.rounds, 3))
		if err != nil {
			return err
		}
		// The least of the runs: what others do on the machine only adds to it.
		cpu[i] = math.MaxFloat64
		for _, s := range all[0] {
			cpu[i] = min(cpu[i], float64(s.cpu.Microseconds())/1000)
		}
		row += fmt.Sprintf("\t%d\t%.1f\t%.0f", n, cpu[i], over(all[0], func(s sample) float64 { return float64(s.memory) / 1024 }))
	}
	e := math.Log(cpu[1]/cpu[0]) / math.Log(float64(times))
	fmt.Fprintf(b.out, "%s\t%.2f\t\n", row, e)
	if e > steepest {
		b.steep = append(b.steep, fmt.Sprintf("%s (%.2f)", s.name, e))
	}
	return nil
}
