package cmdline

// Argument says what an option takes.
type Argument uint8

const (
	Flag     Argument = iota // nothing; a value is an error
	Text                     // a string; another value later replaces it, with a warning
	Number                   // a 32-bit integer as strtol reads it
	Truth                    // true or false
	List                     // strings with commas between them; later ones are appended
	Choice                   // one of a list of strings
	Files                    // a List of option files, read where they are
	Optional                 // a Text or nothing: the next argument counts unless it is an option
)

// Effect says what the option does to a link here.
type Effect uint8

const (
	// Obeyed options change what is linked, printed or written, and do so here.
	Obeyed Effect = iota
	// Inert ones leave a link of cubins as it is; -time and similar aside,
	// they matter for link-time optimization or host objects only.
	Inert
	// Refused ones would change the result in a way that isn't implemented.
	Refused
	// Compiled ones are obeyed with --lto-with, and else refused.
	Compiled
)

// Option is one row of the table.
type Option struct {
	Name    string // spelled --name
	Short   string // spelled -short; "" where there is none
	Arg     Argument
	In      Release // the releases that know it
	Hidden  bool    // not in --help
	Effect  Effect
	Default string // what --help says
	Value   string // what --help calls the value
	Help    string
}

// takesValue reports whether a value must follow.
func (a Argument) takesValue() bool { return a != Flag && a != Optional }

// argument returns the option's kind in a release.
func (o *Option) argument(id ID, r Release) Argument {
	if id == Xptxas && r == R118 {
		return Text
	}
	return o.Arg
}

// attaches reports whether the value may follow the short name without a
// separator: -Ldir, -lname, -m64.
func (id ID) attaches() bool {
	return id == Library || id == LibraryPath || id == Machine
}

// lookup finds an option by the text between the dashes and the value.
func lookup(name string, long bool, in Release) (ID, bool) {
	for i := range Table {
		o := &Table[i]
		if o.In&in == 0 {
			continue
		}
		if long && ID(i) == RelocatableLink && in&since130 == 0 {
			continue // 11.8 and 12.4 know -r only
		}
		if long && o.Name == name || !long && o.Short == name && name != "" {
			return ID(i), true
		}
	}
	return 0, false
}
