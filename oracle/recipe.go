package oracle

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/twinlink/twinlink/cuda"
)

// Evidence says how a recipe is known.
type Evidence uint8

const (
	Paper   Evidence = iota + 1 // from documents; the device linker never patches by it
	Seen                        // compared with bytes that nvlink wrote
	Renamed                     // nvlink turns it into another type first; bytes compared
)

var evidenceNames = map[string]Evidence{"paper": Paper, "seen": Seen, "renamed": Renamed}

// String returns the word the table uses.
func (e Evidence) String() string {
	for name, value := range evidenceNames {
		if value == e {
			return name
		}
	}
	return "?"
}

// Recipe is what a relocation type does: up to three field writes, in order.
type Recipe struct {
	Number   uint32
	Name     string
	Resolver cuda.Resolver
	Evidence Evidence
	Sentinel bool // closes the table; [Apply] refuses it
	steps    []Step
}

// Steps returns the field writes in the order in which they happen, none for
// a type that patches nothing.
func (r *Recipe) Steps() []Step { return append([]Step(nil), r.steps...) }

// Bytes returns how many bytes a place must have.
func (r *Recipe) Bytes() int {
	n := 0
	for _, s := range r.steps {
		n = max(n, s.Field.Bytes())
	}
	return n
}

// String prints the recipe in its notation.
func (r *Recipe) String() string {
	if r.Sentinel {
		return "sentinel"
	}
	if len(r.steps) == 0 {
		return "nothing"
	}
	text := make([]string, len(r.steps))
	for i, s := range r.steps {
		text[i] = s.String()
	}
	return strings.Join(text, "; ")
}

// RecipeOf returns the recipe of a relocation number, R_CUDA or R_MERCURY.
// The error is a *[Refusal] of kind [UnknownType].
func RecipeOf(number uint32) (*Recipe, error) {
	table := recipes()
	if number < uint32(len(table.cuda)) {
		return &table.cuda[number], nil
	}
	if number >= cuda.MercuryBase && number-cuda.MercuryBase < uint32(len(table.mercury)) {
		return &table.mercury[number-cuda.MercuryBase], nil
	}
	return nil, &Refusal{Kind: UnknownType, Number: number, Value: uint64(number)}
}

// Recipes returns every recipe, R_CUDA first, by number.
func Recipes() []*Recipe {
	table := recipes()
	var all []*Recipe
	for i := range table.cuda {
		all = append(all, &table.cuda[i])
	}
	for i := range table.mercury {
		all = append(all, &table.mercury[i])
	}
	return all
}

//go:embed recipes.txt
var recipeText string

type recipeTable struct {
	cuda    [cuda.RelocCount]Recipe
	mercury [cuda.MercuryRelocCount]Recipe
}

// recipes reads the table when it is first asked for: a program that only links
// never does. A mistake in it is a mistake in this package, so the program stops;
// the tests read the table as well.
var recipes = sync.OnceValue(func() *recipeTable {
	t, err := readTable(recipeText)
	if err != nil {
		panic("oracle: recipes.txt: " + err.Error())
	}
	return t
})

func readTable(text string) (*recipeTable, error) {
	t := new(recipeTable)
	seen := 0
	for i, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		r, err := readRow(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		var to *Recipe
		if r.Number < cuda.MercuryBase {
			to = &t.cuda[r.Number]
		} else {
			to = &t.mercury[r.Number-cuda.MercuryBase]
		}
		if to.Name != "" {
			return nil, fmt.Errorf("line %d: number 0x%x again", i+1, r.Number)
		}
		*to = r
		seen++
	}
	if want := len(t.cuda) + len(t.mercury); seen != want {
		return nil, fmt.Errorf("%d rows, want %d", seen, want)
	}
	return t, nil
}

func readRow(line string) (Recipe, error) {
	columns := strings.SplitN(line, " ", 4)
	if len(columns) != 4 {
		return Recipe{}, fmt.Errorf("%d columns, want 4", len(columns))
	}
	number, err := strconv.ParseUint(columns[0], 0, 32)
	if err != nil {
		return Recipe{}, fmt.Errorf("number: %w", err)
	}
	info, ok := cuda.LookupReloc(uint32(number))
	if !ok || info.Name != columns[1] {
		return Recipe{}, fmt.Errorf("0x%x is %q, not %q", number, info.Name, columns[1])
	}
	r := Recipe{
		Number:   uint32(number),
		Name:     info.Name,
		Resolver: info.Resolver,
		Evidence: evidenceNames[columns[2]],
		Sentinel: columns[3] == "sentinel",
	}
	if r.Evidence == 0 {
		return Recipe{}, fmt.Errorf("evidence %q", columns[2])
	}
	if !r.Sentinel {
		r.steps, err = parseRecipe(columns[3])
	}
	return r, err
}

// Fields returns how many fields the recipe writes.
func (r *Recipe) Fields() int { return len(r.steps) }
