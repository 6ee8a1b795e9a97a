package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/twinlink/twinlink/fuzz/power"
)

func main() {
	d, _ := os.MkdirTemp("", "zz")
	defer os.RemoveAll(d)
	r := &power.Root{Dir: "."}
	_, places, err := r.Conditions(os.Args[1], d)
	if err != nil {
		panic(err)
	}
	state := map[int]string{}
	f, _ := os.Open(os.Args[2])
	s := bufio.NewScanner(f)
	for s.Scan() {
		var n int
		var w string
		if k, _ := fmt.Sscan(s.Text(), &n, &w); k == 2 {
			state[n] = w
		}
	}
	for k := range 3 * len(places) {
		i, p := k, places[k/3]
		kind := []string{"AlwaysFalse?", "AlwaysTrue?", "edge"}[k%3]
		if state[i] == "" { continue }
		fmt.Printf("%d\t%s\t%s\t%s:%d\t%s\t%s\t%s\n", i, state[i], kind, strings.TrimPrefix(p.File, "selfcheck/"), p.Line, p.Func, p.In, strings.ReplaceAll(p.Text, "\n", " "))
	}
}
