package engine

import (
	"errors"
	"fmt"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/cuda"
)

// linker is the state of one link.
type linker struct {
	opt     *Options
	prof    *profile
	arch    target
	files   []*cubin.File
	dialect *dialect

	sides   []mercInput     // inputs with both sides
	headers map[secID]secID // by section of code: its image header indices
	slots   uint64          // where image slots begin in a parameter bank

	decoded    map[secID]*mercFunc // by section of code, once it is decoded
	order      []*mercFunc         // in the order of the output
	lineStarts map[int32]uint64    // by input: where its lines begin on the SASS side

	names *names
	secs  []section
	syms  []symbol
	funs  []function
	secOf []secID // by name: unowned section + 1
	symOf []symID // by name: symbol that is not LOCAL + 1
	clock int32   // moments so far

	relocSeq     int32 // relocations read so far
	relocsToCome int   // records that room may yet be made for in advance

	module    []infoRec // .nv.info in reading order
	protos    []nameID  // prototype strings by first use
	commons   []symID   // tentative definitions by first appearance
	nameless  []funID   // functions a nameless one was made right before
	longEdges map[edge]bool
	lostDebug map[lostDebug]bool
	compat    compat

	// Sections with a role.
	shstrtab, strtab, symtab, shndx, info, tkinfo, cuinfo, compatsec secID
	callgraph, protosec, relaction                                   secID

	// String tables of releases that fill them as names come.
	str, shstr *strtab

	graph      *graph
	kernelList []funID
	stamps     []int32
	stamp      int32
	queue      []int32
	steps      int

	shared      *sharedLayout
	sharedAlign map[symID]uint64
	imageOff    map[symID]uint64
	unitOff     map[secID]uint64
	stacks      []kernelStack
	needs       map[funID]uint32 // registers of live kernels and all they reach
	asks        []facts          // by function: what it asks for itself
	nullValue   uint64           // st_value of symbol 0
	unified     map[nameID]bool
	resolved    map[secID][]resolvedAt

	unifiedEntries map[secID][]unifiedEntry

	// forwardProgress: some input was written for an SM whose threads advance
	// independently, so that its YIELDs stay.
	forwardProgress bool

	diags  []Diagnostic
	failed bool
	broken string // an internal error of the tool that comes at the link's end
	budget int64

	chunkLists   arena[chunk]
	relocLists   arena[reloc]
	recordLists  arena[infoRec]
	infoLists    arena[infoLists]
	sectionLists arena[secID]
	symbolLists  arena[symID]
	callLists    arena[funID]
	symLists     [][]symID // by listID - 1

	scratchSym  []symID
	scratchSec  []secID
	scratchBase []uint64
}

type (
	sassLink    struct{ *linker }
	mercuryLink struct{ *linker }
)

// Output is a finished link.
type Output struct {
	Image   []byte
	Release string       // the release it behaves as
	Diags   []Diagnostic // warnings
}

// Link links inputs in order. A refusal is a *LinkError.
func Link(inputs []Input, opt Options) (*Output, error) {
	l := &linker{opt: &opt, dialect: &sassDialect, sharedAlign: make(map[symID]uint64),
		headers: make(map[secID]secID), decoded: make(map[secID]*mercFunc), lineStarts: make(map[int32]uint64)}
	img, err := l.link(inputs)
	if err != nil {
		return nil, l.refusal(err)
	}
	return &Output{Image: img, Release: l.prof.name, Diags: l.diags}, nil
}

// refusal makes a *LinkError of any error, the warnings before it included.
func (l *linker) refusal(err error) *LinkError {
	var refused *LinkError
	if !errors.As(err, &refused) {
		refused = &LinkError{Exit: 1, Err: err}
		var fault *cubin.Error
		if errors.As(err, &fault) {
			refused.Diags = []Diagnostic{{Severity: Fatal, Kind: Malformed, Text: fault.Error(), File: fault.File,
				Section: fault.Section, Offset: fault.Offset, Value: fault.Value}}
		} else {
			refused.Diags = []Diagnostic{{Severity: Fatal, Kind: Internal, Text: err.Error()}}
		}
	}
	refused.Diags = append(append([]Diagnostic(nil), l.diags...), refused.Diags...)
	return refused
}

func (l *linker) link(inputs []Input) ([]byte, error) {
	if err := l.open(inputs); err != nil {
		return nil, err
	}
	if l.opt.PreserveReloc && l.arch.sm >= 90 {
		l.say(Diagnostic{Severity: Warning, Kind: Unsupported, Text: fmt.Sprintf(
			"Option '--preserve-relocs' is not fully implemented for gpu archtecture '%s' and may not work as expected", l.arch.name)})
	}
	l.begin()
	if err := l.mergeAll(); err != nil {
		return nil, err
	}
	if len(l.unifiedEntries) > 0 && !l.isRelocatable() {
		return nil, refuse(Unsupported, "", "Unified symbols found but index file not specified.")
	}
	l.closeGraph()
	l.markLive()
	l.removeDead()
	if err := l.layout(); err != nil {
		return nil, err
	}
	if !l.isRelocatable() {
		l.propagate()
	}
	if l.prof.registersFirst {
		l.checkRegisters()
		l.checkUndefined()
	}
	if l.broken != "" {
		if l.dialect.undefinedToo {
			l.checkUndefined()
		}
		return nil, refuse(Internal, "", "Internal error: %s", l.broken)
	}
	if !l.prof.registersFirst {
		l.checkUndefined()
		l.checkRegisters()
	}
	if l.dialect.filterFindsLost && l.kernelsHidden() && l.lostDebug != nil {
		// Under a filter the tool finds the records of a replaced definition.
		return nil, refuse(Internal, "", "Internal error: unexpected reloc")
	}
	by := rules(&sassLink{l})
	if l.dialect == &mercuryDialect {
		by = &mercuryLink{l}
	}
	if err := l.decideAll(by); err != nil {
		if l.failed {
			return nil, &LinkError{Exit: 255} // relocations are not looked at any more
		}
		return nil, err
	}
	image, err := l.write()
	if l.failed && (err == nil || l.dialect.outputOfFailed) {
		return nil, &LinkError{Exit: 255, Image: image}
	}
	return image, err
}

// write plans and writes the image.
func (l *linker) write() ([]byte, error) {
	if l.dialect == &mercuryDialect {
		return l.finishMercury()
	}
	img, err := l.finish()
	if err != nil {
		return nil, err
	}
	return l.emit(img)
}

// beyondInputs is how many sections and symbols a link has of its own.
const beyondInputs = 64

// begin makes the sections every link begins with.
func (l *linker) begin() {
	c := takeCensus(l.files)
	count := c.sections + c.symbols
	l.names = newNames(count)
	if l.prof.earlyStrings {
		l.str, l.shstr = newStrtab(l.names, count), newStrtab(l.names, count)
	}
	l.secOf, l.symOf = make([]secID, count+beyondInputs), make([]symID, count+beyondInputs)
	l.relocsToCome = c.relocs
	l.secs = make([]section, 0, c.sections+beyondInputs)
	l.syms = make([]symbol, 0, c.symbols+c.sections+beyondInputs) // each section gets one too
	l.funs = make([]function, 0, c.functions+beyondInputs)
	l.module = make([]infoRec, 0, c.records)
	l.tkinfo, l.cuinfo, l.compatsec, l.relaction = absent, absent, absent, absent
	l.shstrtab = l.role(".shstrtab", cuda.SHTStrtab, 0, 1)
	l.strtab = l.role(".strtab", cuda.SHTStrtab, 0, 1)
	l.symtab = l.role(".symtab", cuda.SHTSymtab, 0, 8)
	l.willMake(l.shstrtab, l.strtab, l.symtab)
	l.shndx = l.role(".symtab_shndx", cuda.SHTSymtabShndx, 0, 4)
	if l.prof.notes {
		l.tkinfo = l.role(".note.nv.tkinfo", cuda.SHTNote, cuda.SHFTkinfo, 4)
		l.cuinfo = l.role(".note.nv.cuinfo", cuda.SHTNote, cuda.SHFCuinfo, 4)
		l.willMake(l.tkinfo, l.cuinfo)
	}
	l.info = l.role(".nv.info", cuda.SHTCudaInfo, 0, 4)
	if l.prof.notes && l.arch.sm >= 90 {
		l.compatsec = l.role(".nv.compat", cuda.SHTCudaCompat, 0, 4)
		l.willMake(l.compatsec)
	}
}

// role makes a section that is looked up by what it is for.
func (l *linker) role(name string, typ cuda.SectionType, flags cuda.SectionFlags, align uint64) secID {
	n := l.names.id(name)
	id := l.newSection(n, typ, flags, align)
	l.setUnowned(n, id)
	return id
}

// willMake marks sections whose content the link makes at its end.
func (l *linker) willMake(ids ...secID) {
	for _, id := range ids {
		l.secs[id].made = true
	}
}

// layout gives everything that has an address its address.
func (l *linker) layout() error {
	l.layoutCommons()
	l.callgraph = l.role(".nv.callgraph", cuda.SHTCudaCallgraph, 0, 4)
	l.willMake(l.callgraph)
	l.protosec = l.role(".nv.prototype", cuda.SHTCudaPrototype, 0, 4)
	for i := range l.funs {
		if f := &l.funs[i]; f.live && f.proto != 0 && !f.taken {
			l.willMake(l.protosec)
			break
		}
	}
	if l.isRelocatable() {
		l.layoutPartial()
		return nil
	}
	l.layoutShared()
	if l.dialect.headerSections {
		l.layoutHeaders()
	} else {
		l.layoutImages()
	}
	l.nameInstance()
	l.layoutConstants()
	l.mergeConstants()
	if !l.dialect.relAction {
		return nil
	}
	l.relaction = l.role(".nv.rel.action", cuda.SHTCudaRelocInfo, 0, 8)
	l.willMake(l.relaction)
	return nil
}

// namedSymbols marks the symbols that some relocation names.
func (l *linker) namedSymbols() []bool {
	named := make([]bool, len(l.syms))
	for i := range l.secs {
		s := &l.secs[i]
		if s.target == absent || s.deleted {
			continue
		}
		for j := range s.relocs {
			if r := &s.relocs[j]; r.sym != absent {
				named[r.sym] = true
			}
		}
	}
	return named
}

// checkUndefined reports references nothing defines.
func (l *linker) checkUndefined() {
	if l.isRelocatable() {
		return
	}
	var named []bool // most links have no function to look up here
	for i := range l.syms {
		s := &l.syms[i]
		if s.is(symDefined|symNameless|symCommon) || s.is(symDead) || !s.is(symGlobal) || l.mayStayUndefined(symID(i)) {
			continue
		}
		if s.fun != absent && !l.funs[s.fun].live {
			if named == nil {
				named = l.namedSymbols()
			}
			if !named[i] {
				continue
			}
		}
		name := l.names.str(s.name)
		l.say(Diagnostic{Severity: Error, Kind: Undefined, Symbol: name, File: l.fileName(s.file),
			Text: fmt.Sprintf("Undefined reference to '%s' in '%s'", name, l.fileName(s.file))})
	}
}
