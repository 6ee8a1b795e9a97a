package input

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/engine/internal/diag"
	"github.com/twinlink/twinlink/engine/internal/release"
)

// opened are the sides of one file, read as the only input of a link.
func opened(data []byte) (*Set, error) {
	f, err := cubin.Open("a.cubin", data)
	if err != nil {
		return nil, err
	}
	l := &Set{Opt: &Options{}, Dialect: &release.SASS, Arch: release.Target{SM: 100}, Release: &release.Release{Notes: true}, Files: []*cubin.File{f}}
	return l, l.openMercury()
}

// mercuryObjects are the objects of recorded links that have two sides, by name.
func mercuryObjects(t *testing.T) map[string]*cubin.File {
	t.Helper()
	programs, err := corpus.Mercury()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]*cubin.File{}
	for _, c := range corpus.CasesOf(programs) {
		for _, in := range c.Inputs {
			if f, err := cubin.Open(in.Name, in.Data); err == nil && isMercury(f) {
				list[c.ID()+"/"+in.Name] = f
			}
		}
	}
	if len(list) < 20 {
		t.Fatalf("only %d objects", len(list))
	}
	return list
}

// sassName is the name on the SASS side of a section of the Mercury side.
func sassName(name string) string {
	if rest, ok := strings.CutPrefix(name, ".nv.capmerc"); ok {
		return rest
	}
	rest, _ := strings.CutPrefix(name, ".nv.merc")
	for from, to := range map[string]string{
		".nv.constant.entry_image_header_indices.": ".nv.constant0.", ".nv.constant.optimizer.": ".nv.constant2.", ".nv.constant.user": ".nv.constant3", ".nv.constant.pic": ".nv.constant4",
	} {
		if tail, ok := strings.CutPrefix(rest, from); ok {
			return to + tail
		}
	}
	return rest
}

// Sections of the two sides are pairs by their names, where a name is there once; what belongs to code is found by its
// name too. Numbers, lists and views have to say the same.
func TestSidesByName(t *testing.T) {
	pairs, owned := 0, 0
	for id, f := range mercuryObjects(t) {
		l, err := opened(f.Data)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		in, view := &l.Sides[0], l.Files[0]
		name := func(i int) string { s := f.Section(i); return f.SectionName(&s) }
		sass, twice := map[string]int{}, map[string]bool{}
		for i := 1; i < f.NumSections(); i++ {
			if s := f.Section(i); s.Flags&cuda.SHFMercury == 0 {
				twice[name(i)] = sass[name(i)] != 0
				sass[name(i)] = i
			}
		}
		for i := 1; i < f.NumSections(); i++ {
			s, seen := f.Section(i), view.Section(i)
			if s.Flags&cuda.SHFMercury == 0 {
				if k := int(in.Counterpart[i]); k != 0 && int(in.Counterpart[k]) != i {
					t.Errorf("%s: %s is the counterpart of %s, whose counterpart is %d", id, name(i), name(k), in.Counterpart[k])
				}
				continue
			}
			want := sassName(name(i))
			if seen.Flags != s.Flags&^cuda.SHFMercury && s.Type != cuda.SHTCudaCapmerc || seen.Size != s.Size || seen.Off != s.Off {
				t.Errorf("%s: %s is shown as %+v", id, name(i), seen)
			}
			if k := sass[want]; k != 0 && !twice[want] {
				pairs++
				if int(in.Counterpart[i]) != k {
					t.Errorf("%s: the counterpart of %s is %q, want %q", id, name(i), name(int(in.Counterpart[i])), want)
				}
			}
			kernel, isCode := strings.CutPrefix(name(i), ".nv.capmerc.text.")
			if !isCode {
				continue
			}
			text := sass[".text."+kernel]
			if seen.Type != cuda.SHTProgbits || seen.Flags != f.Section(text).Flags || seen.Align != f.Section(text).Align || view.SectionName(&seen) != ".text."+kernel {
				t.Errorf("%s: the capsule of %s is shown as %s, %+v", id, kernel, view.SectionName(&seen), seen)
			}
			for prefix, list := range map[string][]uint32{".nv.info.": in.Info, ".rela.text.": nil, ".nv.constant0.": in.Bank} {
				k := sass[prefix+kernel]
				if list != nil && !twice[prefix+kernel] && int(list[text]) != k {
					t.Errorf("%s: %s%s is %d, want %d", id, prefix, kernel, list[text], k)
				}
				owned++
			}
		}
		// One symbol table, one view of each type.
		for i := 1; i < f.NumSections(); i++ {
			s, seen := f.Section(i), view.Section(i)
			want := s.Type
			switch {
			case s.Flags&cuda.SHFMercury == 0:
				switch s.Type {
				case cuda.SHTStrtab, cuda.SHTNote, cuda.SHTCudaCompat, cuda.SHTCudaCallgraph, cuda.SHTCudaPrototype, cuda.SHTCudaGlobal, cuda.SHTCudaLocal, cuda.SHTCudaShared:
				default:
					want = cuda.SHTNull
				}
			default:
				for from, to := range map[cuda.SectionType]cuda.SectionType{
					cuda.SHTCudaCapmerc: cuda.SHTProgbits, cuda.SHTMercSymtab: cuda.SHTSymtab, cuda.SHTMercInfo: cuda.SHTCudaInfo, cuda.SHTMercRela: cuda.SHTRela, cuda.SHTMercResolvedRela: cuda.SHTCudaResolvedRela,
					cuda.SHTMercCallgraph: cuda.SHTNull, cuda.SHTMercPrototype: cuda.SHTNull, cuda.SHTMercOptimizer: cuda.SHTCudaConstant0 + 2, cuda.SHTMercUser: cuda.SHTCudaConstant0 + 3, cuda.SHTMercPic: cuda.SHTCudaConstant0 + 4,
				} {
					if s.Type == from {
						want = to
					}
				}
			}
			if seen.Type != want {
				t.Errorf("%s: %s of type %s is shown as %s, want %s", id, name(i), s.Type, seen.Type, want)
			}
		}
	}
	if pairs < 200 || owned < 60 {
		t.Errorf("only %d pairs, %d that belong to code", pairs, owned)
	}
}

// What is wrong with the Mercury side of a file is told with its kind, section and value.
func TestSidesFaults(t *testing.T) {
	data := object(t, "calls/13.0-sm_100")
	f, err := cubin.Open("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	capsule, second, text, hollow, merc := 0, 0, 0, 0, 0
	for i := 1; i < f.NumSections(); i++ {
		switch s := f.Section(i); {
		case s.Type == cuda.SHTCudaCapmerc && capsule == 0:
			capsule = i
			text = int(binary.LittleEndian.Uint32(f.Content(&s)))
		case s.Type == cuda.SHTCudaCapmerc && second == 0:
			second = i
		case s.Flags&cuda.SHFMercury == 0 && s.NoBits() && s.Type != cuda.SHTNull:
			hollow = i
		case s.Flags&cuda.SHFMercury != 0 && s.Size > 0:
			merc = i
		}
	}
	if capsule*second*text*merc == 0 {
		t.Fatalf("capsules %d and %d, code %d, hollow %d, other %d", capsule, second, text, hollow, merc)
	}
	n := uint32(f.NumSections())
	head := func(i int) uint64 { return f.Header.ShOff + uint64(i)*cubin.SectionSize }
	first := func(i int, w uint32) func(b []byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[f.Section(i).Off:], w) }
	}
	size := func(n uint64) func(b []byte) {
		return func(b []byte) { binary.LittleEndian.PutUint64(b[head(capsule)+32:], n) }
	}
	sectionName := func(i int) string { s := f.Section(i); return f.SectionName(&s) }
	const noText, noHeader = "the capsule's first word is not a text of its own", "a capsule of that many bytes has no header"
	for _, c := range []struct {
		what string
		edit func(b []byte)
		want *cubin.Error
	}{
		{"nothing", func([]byte) {}, nil},
		{"no code", first(capsule, 0), &cubin.Error{Kind: cubin.BadIndex, Section: sectionName(capsule), Detail: noText}},
		{"a section behind the last", first(capsule, n), &cubin.Error{Kind: cubin.BadIndex, Section: sectionName(capsule), Value: uint64(n), Detail: noText}},
		{"a section far behind the last", first(capsule, 0xffffffff), &cubin.Error{Kind: cubin.BadIndex, Section: sectionName(capsule), Value: 0xffffffff, Detail: noText}},
		{"itself", first(capsule, uint32(capsule)), &cubin.Error{Kind: cubin.BadIndex, Section: sectionName(capsule), Value: uint64(capsule), Detail: noText}},
		{"one of the Mercury side", first(capsule, uint32(merc)), &cubin.Error{Kind: cubin.BadIndex, Section: sectionName(capsule), Value: uint64(merc), Detail: noText}},
		{"the code of another", first(second, uint32(text)), &cubin.Error{Kind: cubin.BadIndex, Section: sectionName(second), Value: uint64(text), Detail: noText}},
		{"no bytes", func(b []byte) { binary.LittleEndian.PutUint32(b[head(text)+4:], uint32(cuda.SHTNobits)) }, &cubin.Error{Kind: cubin.BadIndex, Section: sectionName(capsule), Value: uint64(text), Detail: noText}},
		{"no header", size(0), &cubin.Error{Kind: cubin.BadRecord, Section: sectionName(capsule), Detail: noHeader}},
		{"half a header", size(3), &cubin.Error{Kind: cubin.BadRecord, Section: sectionName(capsule), Value: 3, Detail: noHeader}},
		{"a header", size(4), nil},
		{"no symbols", func(b []byte) {
			for i := range int(n) {
				if f.Section(i).Type == cuda.SHTMercSymtab {
					binary.LittleEndian.PutUint32(b[head(i)+4:], uint32(cuda.SHTProgbits))
				}
			}
		}, &cubin.Error{Kind: cubin.BadTable, Value: uint64(n), Detail: "symsec not found: no .nv.merc.symtab"}},
	} {
		b := bytes.Clone(data)
		c.edit(b)
		_, err := opened(b)
		var fault *cubin.Error
		if c.want == nil {
			if err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		}
		if c.want.File = "a.cubin"; !errors.As(err, &fault) || *fault != *c.want {
			t.Errorf("%s: %v, want %v", c.what, err, c.want)
		}
	}
	// With several inputs the first that is wrong is told, and few bytes are judged as many.
	for _, total := range []int64{0, worthCores} {
		bad := bytes.Clone(data)
		first(capsule, 0)(bad)
		worse := bytes.Clone(data)
		size(3)(worse)
		l := &Set{Opt: &Options{}, Dialect: &release.SASS, Arch: release.Target{SM: 100}, Release: &release.Release{Notes: true}, total: total}
		for i, b := range [][]byte{data, bad, worse, data} {
			f, err := cubin.Open(string(rune('a'+i))+".cubin", b)
			if err != nil {
				t.Fatal(err)
			}
			l.Files = append(l.Files, f)
		}
		var fault *cubin.Error
		if err := l.openMercury(); !errors.As(err, &fault) || fault.File != "b.cubin" || fault.Kind != cubin.BadIndex {
			t.Errorf("of four inputs, %d bytes: %v", total, err)
		}
	}
}

// Inputs are read as having two sides where all of them have, the target has capsules and the release reads notes.
func TestWhenSidesAreRead(t *testing.T) {
	two, sass := object(t, "calls/13.0-sm_100"), object(t, "calls/13.0-sm_90a")
	for _, c := range []struct {
		what  string
		files [][]byte
		sm    cuda.SM
		notes bool
		want  bool
	}{
		{"all", [][]byte{two, two}, 100, true, true}, {"a later target", [][]byte{two}, 103, true, true}, {"an earlier target", [][]byte{two}, 99, true, false}, {"an older release", [][]byte{two}, 100, false, false},
		{"the first alone", [][]byte{two, sass}, 100, true, false}, {"the second alone", [][]byte{sass, two}, 100, true, false}, {"none", [][]byte{sass}, 100, true, false}, {"no inputs", nil, 100, true, true},
	} {
		l := &Set{Opt: &Options{}, Dialect: &release.SASS, Arch: release.Target{SM: c.sm}, Release: &release.Release{Notes: c.notes}}
		for _, b := range c.files {
			f, err := cubin.Open("a.cubin", b)
			if err != nil {
				t.Fatal(err)
			}
			l.Files = append(l.Files, f)
		}
		if err := l.openMercury(); err != nil || (l.Dialect == &release.Mercury) != c.want || (len(l.Sides) == len(c.files) && c.want) != c.want {
			t.Errorf("%s: Mercury %v, %d sides, %v", c.what, l.Dialect == &release.Mercury, len(l.Sides), err)
		}
	}
	f, err := cubin.Open("a.cubin", two)
	if err != nil {
		t.Fatal(err)
	}
	if !isMercury(f) {
		t.Error("an object of sm_100 has no Mercury side")
	}
	for kind := range uint32(8) {
		g := *f
		g.Header.Flags = f.Header.Flags&^7 | kind
		if isMercury(&g) != (kind == cuda.EFKindCapmerc || kind == cuda.EFKindCapmerc+1) {
			t.Errorf("kind %d: %v", kind, isMercury(&g))
		}
	}
	for _, c := range []struct {
		abi  byte
		sm   uint32
		want bool
	}{{cuda.OSABICuda13, 99, false}, {cuda.OSABICuda13, 100, true}, {cuda.OSABICuda13, 121, true}, {cuda.OSABILegacy, 100, false}} {
		g := *f
		g.Header.Ident[7] = c.abi
		g.Header.Flags = f.Header.Flags&^cuda.EFSMMask | c.sm<<cuda.EFSMShift
		if isMercury(&g) != c.want {
			t.Errorf("%+v: %v", c, !c.want)
		}
	}
}

// Of sections of one name the first is read for each, and it is said where they differ, with more where code may.
//
// Source: nvlink 13.5.37.
func TestNamesakes(t *testing.T) {
	data := object(t, "calls/13.0-sm_100")
	f, err := cubin.Open("a.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	byType := map[cuda.SectionType][]int{}
	for i := 1; i < f.NumSections(); i++ {
		s := f.Section(i)
		if s.Flags&cuda.SHFInfoLink != 0 && s.Flags&cuda.SHFMercury != 0 {
			byType[s.Type] = append(byType[s.Type], i)
		}
	}
	field := func(b []byte, i, at int) []byte { return b[f.Header.ShOff+uint64(i)*cubin.SectionSize+uint64(at):] }
	options := func(b []byte, i int) int { // where a function's options stand
		s := f.Section(i)
		r := f.Info(&s)
		at := s.Off
		for rec, ok := r.Next(); ok; rec, ok = r.Next() {
			if rec.Attr == cuda.AttrMercuryFinalizerOptions {
				return int(at) + 4
			}
			at += uint64(rec.Len())
		}
		t.Fatalf("section %d has no options", i)
		return 0
	}
	same := func(b []byte, i, k int) { // two sections of one place, name and size
		copy(field(b, k, 0)[:4], field(b, i, 0)[:4])
		copy(field(b, k, 24)[:16], field(b, i, 24)[:16])
	}
	info, rela := byType[cuda.SHTMercInfo], byType[cuda.SHTMercRela]
	if len(info) < 2 || len(rela) < 1 {
		t.Fatalf("%d sections of facts, %d of relocations", len(info), len(rela))
	}
	a, k := info[0], info[1]
	const says, more = "Section %s occurs several times in 'a.cubin': the first is used for all, as with nvlink", ", and code may differ from nvlink's"
	name := func(i int) string { s := f.Section(i); return strings.TrimPrefix(f.SectionName(&s), ".nv.merc") }
	for _, c := range []struct {
		what  string
		edit  func(b []byte)
		said  string
		first bool // the second is read as the first
	}{
		{"no namesakes", func(b []byte) {}, "", false},
		{"the same bytes", func(b []byte) { same(b, a, k) }, "", true},
		{"another size, other options", func(b []byte) {
			copy(field(b, k, 0)[:4], field(b, a, 0)[:4])
			if x, y := f.Section(a), f.Section(k); x.Size == y.Size {
				binary.LittleEndian.PutUint64(field(b, k, 32), x.Size-4)
			}
			b[options(b, k)] ^= 1
		}, strings.Replace(says, "%s", name(a), 1) + more, true},
	} {
		b := bytes.Clone(data)
		c.edit(b)
		g, err := cubin.Open("a.cubin", b)
		if err != nil {
			t.Fatal(err)
		}
		for _, reads := range []bool{false, true} {
			l := &Set{Opt: &Options{}, Dialect: &release.SASS, Arch: release.Target{SM: 100}, Release: &release.Release{Notes: true, FirstOfName: reads}, Files: []*cubin.File{g}}
			if err := l.openMercury(); err != nil {
				t.Fatal(err)
			}
			want := []diag.Diagnostic{{Severity: diag.Warning, Kind: diag.Displaced, File: "a.cubin", Section: name(a), Text: c.said}}
			if c.said == "" || !reads {
				want = nil
			}
			if len(l.Diags) != len(want) || len(want) > 0 && l.Diags[0] != want[0] {
				t.Errorf("%s: %+v, want %+v", c.what, l.Diags, want)
			}
			x, y := l.Files[0].Section(a), l.Files[0].Section(k)
			if one := x.Off == y.Off && x.Size == y.Size; one != (reads && c.first || c.what == "the same bytes") {
				t.Errorf("%s, %v: one place %v", c.what, reads, one)
			}
		}
	}
}

// Which toolkit made a file is in its header up to 12.x, and in its notes since.
func TestToolkitOf(t *testing.T) {
	note := func(kind cuda.SectionFlags, list ...cubin.Note) func(d *cubin.Editor) error {
		return func(d *cubin.Editor) error {
			for i := range d.NumSections() {
				if p := d.Part(i); p.Type == cuda.SHTNote && p.Flags&kind != 0 {
					return d.SetNotes(i, list)
				}
			}
			return errors.New("no such note")
		}
	}
	both := func(list ...func(d *cubin.Editor) error) func(d *cubin.Editor) error {
		return func(d *cubin.Editor) error {
			for _, f := range list {
				if err := f(d); err != nil {
					return err
				}
			}
			return nil
		}
	}
	cu := func(version uint16, api uint32) cubin.Note {
		return cubin.Note{Type: cuda.NoteTypeCuinfo, Name: cuda.NoteOwner, Desc: cubin.AppendCuinfo(nil, cubin.Cuinfo{Version: version, SM: 77, API: api})}
	}
	tk := func(version uint32) cubin.Note {
		return cubin.Note{Type: cuda.NoteTypeTkinfo, Name: cuda.NoteOwner, Desc: cubin.AppendTkinfo(nil, &cubin.Tkinfo{Version: version})}
	}
	other := cubin.Note{Type: 1, Name: cuda.NoteOwner}
	const info, tool = cuda.SHFCuinfo, cuda.SHFTkinfo
	for _, c := range []struct {
		what    string
		edit    func(d *cubin.Editor) error
		toolkit uint32
		virtual cuda.SM
	}{
		{"as it is", func(*cubin.Editor) error { return nil }, 130, 50},
		{"another version", note(info, cu(2, 135)), 135, 77},
		{"the second note", note(info, other, cu(2, 131)), 131, 77},
		{"no such note", note(info, other), 130, 100},
		{"no notes", note(info), 130, 100},
		{"an earlier form", both(note(info, cu(1, 135)), note(tool, tk(129))), 129, 77},
		{"an earlier form, the first of both", both(note(info, cu(1, 135)), note(tool, tk(128), tk(129))), 128, 77},
		{"an earlier form, another note first", both(note(info, cu(1, 135)), note(tool, other, tk(129))), 128, 77},
		{"an earlier form, no notes", both(note(info, cu(1, 135)), note(tool)), 128, 77},
	} {
		d, err := cubin.Decode("a.cubin", object(t, "calls/13.0-sm_100"))
		if err == nil {
			err = c.edit(d)
		}
		if err == nil {
			err = d.Layout()
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		f, err := cubin.Open("a.cubin", data)
		if err != nil {
			t.Fatal(err)
		}
		l := &Set{Release: &release.Release{}, Files: []*cubin.File{f}}
		if l.Toolkit(0) != c.toolkit || l.VirtualSM(f) != c.virtual {
			t.Errorf("%s: toolkit %d, sm_%d; want %d, sm_%d", c.what, l.Toolkit(0), l.VirtualSM(f), c.toolkit, c.virtual)
		}
		if l.Release.NotesAreData = true; l.VirtualSM(f) != cuda.SM(f.Header.Flags>>16&0xff) {
			t.Errorf("%s: without notes sm_%d", c.what, l.VirtualSM(f))
		}
	}
}

// The names and types of banks on both sides.
func TestBanks(t *testing.T) {
	for name, want := range map[string]string{
		".nv.constant.entry_image_header_indices.k": ".nv.constant0.k", ".nv.constant.optimizer.k": ".nv.constant2.k", ".nv.constant.user": ".nv.constant3", ".nv.constant.user.k": ".nv.constant3.k", ".nv.constant.pic": ".nv.constant4",
		".nv.constant.userk": "", ".nv.constant.pics": "", ".nv.constant3": "", ".nv.constant.entry_image_header_indices": "", "": "",
	} {
		if got, ok := SassBankName(name); got != want || ok != (want != "") {
			t.Errorf("%s is %q, %v", name, got, ok)
		}
	}
	for n, want := range map[cuda.SectionType]cuda.SectionType{0: cuda.SHTCudaConstant0, 1: cuda.SHTCudaConstant0 + 1, 2: cuda.SHTMercOptimizer, 3: cuda.SHTMercUser, 4: cuda.SHTMercPic, 5: cuda.SHTCudaConstant0 + 5} {
		if got := MercBankType(cuda.SHTCudaConstant0 + n); got != want {
			t.Errorf("bank %d is of type %s", n, got)
		}
	}
}
