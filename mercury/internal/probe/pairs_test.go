package probe_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/replay"
	"github.com/twinlink/twinlink/mercury/internal/probe"
)

// kinds are probe's letters for package capsule's kinds.
var kinds = map[capsule.Kind]byte{capsule.Plain: 'P', capsule.TagOnly: 'M', capsule.Full: 'R', capsule.Skip: 'S'}

// relocated are the words of a section that a relocation of the file is to fill in.
func relocated(f *cubin.File, section int) map[uint32]bool {
	words := map[uint32]bool{}
	for i := 1; i < f.NumSections(); i++ {
		if s := f.Section(i); s.Type == 4 && int(s.Info) == section {
			for b := body(f, i); len(b) >= 24; b = b[24:] {
				words[uint32(binary.LittleEndian.Uint64(b)/16)] = true
			}
		}
	}
	return words
}

// The nodes of a cubin are those that package capsule, written apart, reads: their kinds, records, words and spans,
// their order, and which of them a relocation is to fill in.
func TestPairs(t *testing.T) {
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	seen, spans, filled := map[byte]int{}, 0, 0
	for i := range list {
		data, err := list[i].Data()
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open(list[i].Name, data)
		if err != nil {
			continue
		}
		sm, pairs, err := probe.Pairs(data)
		if err != nil || sm != int(f.Header.SM()) {
			t.Errorf("%s: sm_%d, %v", list[i].Name, sm, err)
			continue
		}
		at := 0
		image := capsule.Open(f)
		slices.SortFunc(image.Funcs, func(a, b capsule.Func) int { return a.Capsule - b.Capsule })
		for k := range image.Funcs {
			fn := &image.Funcs[k]
			if fn.Cap == nil {
				t.Fatalf("%s: %s", list[i].Name, fn.Name)
			}
			fill := relocated(f, fn.Text)
			for n := range fn.Cap.Nodes {
				node := &fn.Cap.Nodes[n]
				if at >= len(pairs) {
					t.Fatalf("%s: %d nodes", list[i].Name, len(pairs))
				}
				p := &pairs[at]
				at++
				words := fn.Code[node.SASS : node.SASS+16*uint32(node.Span)]
				record := fn.Cap.Record(node)
				want := false
				for w := range uint32(node.Span) {
					want = want || fill[node.SASS/16+w]
				}
				if node.Kind == capsule.Plain || node.Kind == capsule.Skip {
					record = nil
				}
				if p.Kind != kinds[node.Kind] || p.Span != int(node.Span) || 16*p.Offset != int(node.SASS) || !bytes.Equal(p.Record, record) || !bytes.Equal(p.Words, words) || p.Relocated != want {
					t.Fatalf("%s: node %d of %s: %c %d %d %x %x %t, want %v %+v %x %x %t", list[i].Name, n, fn.Name, p.Kind, p.Span, p.Offset, p.Record, p.Words, p.Relocated, node.Kind, node, record, words, want)
				}
				seen[p.Kind]++
				if p.Span > 1 {
					spans++
				}
				if p.Relocated {
					filled++
				}
			}
		}
		if at != len(pairs) {
			t.Errorf("%s: %d nodes, want %d", list[i].Name, len(pairs), at)
		}
	}
	if len(seen) != 4 || spans == 0 || filled == 0 {
		t.Errorf("%v, %d of several words, %d to be filled in", seen, spans, filled)
	}
}

// A capsule that is cut off anywhere, or whose text isn't there, is refused, and nothing else happens.
func TestCutCapsules(t *testing.T) {
	list, err := corpus.Capsules()
	if err != nil {
		t.Fatal(err)
	}
	data, err := list[0].Data()
	if err != nil {
		t.Fatal(err)
	}
	table := binary.LittleEndian.Uint64(data[40:])
	count := int(binary.LittleEndian.Uint16(data[60:]))
	refused := 0
	for i := range count {
		at := table + uint64(64*i)
		if binary.LittleEndian.Uint32(data[at+4:]) != 0x70000016 {
			continue
		}
		size, offset := binary.LittleEndian.Uint64(data[at+32:]), binary.LittleEndian.Uint64(data[at+24:])
		for n := range size {
			bad := bytes.Clone(data)
			binary.LittleEndian.PutUint64(bad[at+32:], n)
			if _, _, err := probe.Pairs(bad); err == nil {
				t.Fatalf("%d bytes of a capsule of %d are taken", n, size)
			}
			refused++
		}
		for _, text := range []uint32{uint32(count), 0xffffffff} {
			bad := bytes.Clone(data)
			binary.LittleEndian.PutUint32(bad[offset:], text)
			if _, _, err := probe.Pairs(bad); err == nil {
				t.Errorf("text %d of %d is taken", text, count)
			}
		}
		bad := bytes.Clone(data)
		binary.LittleEndian.PutUint64(bad[table+64*uint64(binary.LittleEndian.Uint32(data[offset:]))+32:], 16)
		if _, _, err := probe.Pairs(bad); err == nil {
			t.Error("a text of one word is taken")
		}
		break
	}
	if refused == 0 {
		t.Fatal("no capsule")
	}
	for name, change := range map[string]func([]byte){
		"headers behind the end":      func(b []byte) { binary.LittleEndian.PutUint64(b[40:], uint64(len(b)-64*count+1)) },
		"headers far behind the end":  func(b []byte) { binary.LittleEndian.PutUint64(b[40:], 1<<63) },
		"a section behind the end":    func(b []byte) { binary.LittleEndian.PutUint64(b[table+64+24:], uint64(len(b))+1) },
		"a section too long":          func(b []byte) { binary.LittleEndian.PutUint64(b[table+64+32:], uint64(len(b))) },
		"a section of a negative end": func(b []byte) { binary.LittleEndian.PutUint64(b[table+64+32:], 1<<63) },
		"no ELF file":                 func(b []byte) { b[1] = 'F' },
	} {
		bad := bytes.Clone(data)
		change(bad)
		if _, _, err := probe.Pairs(bad); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// What is put into a template is an object as ptxas makes them: package capsule reads the template's own nodes, then
// those that were inserted, then what fills the line; both symbols of the function have grown by as much.
func TestBuild(t *testing.T) {
	replay.Both(t, "testdata/build.gz", []string{"13.0"}, func(t *testing.T) {
		const source = ".version 9.0\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [p];\n\tmov.u32 %r1, %tid.x;\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n"
		res, err := find(t).Assemble(t.Context(), "13.0", []string{"-arch=sm_100"}, nvidia.File{Name: "k.ptx", Data: []byte(source)})
		if err != nil || res.Outcome != nvidia.Success {
			t.Fatal(res, err)
		}
		template, err := probe.NewTemplate(res.Output)
		if err != nil {
			t.Fatal(err)
		}
		short, long := unhex(t, "0106000af80004000000410100000000"), unhex(t, "024e5232f80000460300000001f803010082010a000201020100000000000000")
		brev := unhex(t, "01730500000000000000000000244e00")
		nodes := []probe.Node{{Words: brev}, {Record: short}, {Record: long}, {Record: unhex(t, "4106000a"), Words: brev}, {Record: long, Span: 3}, {Record: long, Words: slices.Concat(brev, brev)}}
		before, after := only(t, res.Output), only(t, template.Build(nodes))
		own := len(before.Cap.Nodes) - 1
		if len(after.Cap.Nodes) != own+len(nodes)+1 {
			t.Fatalf("%d nodes, of %d", len(after.Cap.Nodes), own+1)
		}
		kept := before.Cap.Nodes[own].SASS
		if !bytes.Equal(before.Code[:kept], after.Code[:kept]) || len(after.Code)%128 != 0 {
			t.Errorf("the template's code: %x", after.Code[:kept])
		}
		at := kept
		for i, want := range []struct {
			kind  capsule.Kind
			span  uint16
			words []byte
		}{{capsule.Plain, 1, brev}, {capsule.Full, 1, nil}, {capsule.Full, 1, nil}, {capsule.TagOnly, 1, brev}, {capsule.Full, 3, nil}, {capsule.Full, 2, slices.Concat(brev, brev)}} {
			n := &after.Cap.Nodes[own+i]
			words := after.Code[n.SASS : n.SASS+16*uint32(n.Span)]
			if want.words == nil {
				want.words = make([]byte, 16*want.span)
			}
			if n.Kind != want.kind || n.Span != want.span || n.SASS != at || !bytes.Equal(words, want.words) || n.Kind != capsule.Plain && !bytes.Equal(after.Cap.Record(n), nodes[i].Record) {
				t.Errorf("node %d: %v of %d words %x, %x", i, n.Kind, n.Span, words, after.Cap.Record(n))
			}
			at += 16 * uint32(n.Span)
		}
		last := &after.Cap.Nodes[own+len(nodes)]
		if last.Kind != capsule.Skip || last.SASS != at || int(last.SASS)+16*int(last.Span) != len(after.Code) {
			t.Errorf("the last is %v of %d words at %#x of %#x", last.Kind, last.Span, last.SASS, len(after.Code))
		}
		if !bytes.Equal(after.Code[at:][:len(before.Code[kept:])], before.Code[kept:]) {
			t.Error("the template's end is another")
		}
		nop := before.Code[len(before.Code)-16:]
		for rest := after.Code[int(at)+len(before.Code[kept:]):]; len(rest) > 0; rest = rest[16:] {
			if !bytes.Equal(rest[:16], nop) {
				t.Errorf("filled up with %x", rest[:16])
			}
		}
		grown(t, res.Output, template.Build(nodes), uint64(len(after.Code)-len(before.Code)), uint64(32+16+32+16+32+32)) // of a plain word no size is told: the larger
		if again := template.Build(nil); len(only(t, again).Code) != len(before.Code) {
			t.Error("nothing put in, and yet it grew")
		}
	})
}

// only returns the one function of a cubin.
func only(t *testing.T, data []byte) *capsule.Func {
	t.Helper()
	f, err := cubin.Open("k", data)
	if err != nil {
		t.Fatal(err)
	}
	m := capsule.Open(f)
	if len(m.Funcs) != 1 || m.Funcs[0].Cap == nil {
		t.Fatalf("%d functions", len(m.Funcs))
	}
	return &m.Funcs[0]
}

// grown wants the function's symbol of either table to be so much larger, and no other to have changed.
func grown(t *testing.T, before, after []byte, sass, merc uint64) {
	t.Helper()
	a, err := cubin.Open("a", before)
	if err != nil {
		t.Fatal(err)
	}
	b, err := cubin.Open("b", after)
	if err != nil {
		t.Fatal(err)
	}
	if a.NumSections() != b.NumSections() {
		t.Fatalf("%d sections, want %d", b.NumSections(), a.NumSections())
	}
	tables := 0
	for i := 1; i < a.NumSections(); i++ {
		s := a.Section(i)
		by := map[uint32]uint64{2: sass, 0x70000085: merc}[uint32(s.Type)]
		old, now := body(a, i), body(b, i)
		switch {
		case by != 0:
			tables++
			for k := 0; k+24 <= len(old); k += 24 {
				want := binary.LittleEndian.Uint64(old[k+16:])
				if old[k+4]&15 == 2 {
					want += by
				}
				if !bytes.Equal(old[k:k+16], now[k:k+16]) || binary.LittleEndian.Uint64(now[k+16:]) != want {
					t.Errorf("symbol %d of section %d: %x, was %x", k/24, i, now[k:k+24], old[k:k+24])
				}
			}
		case s.Type == 1 && s.Flags&4 != 0, uint32(s.Type) == 0x70000016:
		case !bytes.Equal(old, now):
			t.Errorf("section %d is another", i)
		}
	}
	if tables != 2 {
		t.Errorf("%d tables of symbols", tables)
	}
}

// body returns the bytes of a section, nil where it has none.
func body(f *cubin.File, i int) []byte {
	s := f.Section(i)
	return f.Content(&s)
}
