package relayout

// Way is what is other in a layout; ways can be joined.
type Way uint

// The ways.
const (
	Sections  Way = 1 << iota // numbers of sections
	Symbols                   // numbers of symbols, local ones first
	Names                     // string tables
	Places                    // order in the file, and padding
	Tables                    // order of records, of calls and of attributes
	Variables                 // places in global memory
	Segments                  // a program header for each section that is loaded
	All       = 1<<iota - 1
)

var wayNames = map[Way]string{Sections: "sections", Symbols: "symbols", Names: "names", Places: "places", Tables: "tables", Variables: "variables", Segments: "segments", All: "all"}

// Ways are all of them one by one, and then together.
var Ways = []Way{Sections, Symbols, Names, Places, Tables, Variables, Segments, All}

func (w Way) String() string { return wayNames[w] }

// File writes a file in another layout, drawn by a seed.
func File(data []byte, ways Way, seed uint64) ([]byte, error) {
	f, err := open(data, seed)
	if err != nil {
		return nil, err
	}
	if ways&Variables != 0 {
		f.moveVariables()
	}
	if ways&Tables != 0 {
		f.shuffleTables()
	}
	if ways&Names != 0 {
		f.writeNames()
	}
	n := f.sameNumbers()
	if ways&Sections != 0 {
		f.shuffleSections(n)
	}
	if ways&Symbols != 0 {
		f.shuffleSymbols(n)
	}
	f.renumber(n)
	return f.write(ways&Places != 0, ways&Segments != 0), nil
}
