package verify

import (
	"encoding/hex"
	"strings"

	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/report"
)

// drawnWords is how many findings get the words around their place.
const drawnWords = 20

// wordLength is how much of a section a word shows: an instruction of sm_70 and
// up, and as much of data.
const wordLength = 16

// addWords gives the first findings the bytes around their place: as the oracle
// expects them, as the judged file has them, and as each linker made them.
func (a *run) addWords(row *report.Row) {
	if len(row.Findings) == 0 {
		return // most links: their files aren't read again
	}
	sides := []struct {
		of    string
		image []byte
	}{{"found", a.judged}, {"engine", a.image}, {"nvlink", a.nvImage}}
	var files []*cubin.File
	for _, s := range sides {
		f, err := cubin.Open(s.of, s.image)
		if err != nil {
			f = nil
		}
		files = append(files, f)
	}
	for i := range row.Findings[:min(len(row.Findings), drawnWords)] {
		f := &row.Findings[i]
		if f.Section == "" || f.Offset == nil || len(f.Values) != 2 {
			continue
		}
		from := *f.Offset
		if strings.HasPrefix(f.Section, ".text") {
			from -= from % wordLength
		}
		var words []report.Word
		for k, s := range sides {
			if w := wordAt(files[k], f.Section, from); w != nil {
				words = append(words, report.Word{Of: s.of, Bytes: hex.EncodeToString(w)})
			}
		}
		if len(words) == 0 || words[0].Of != "found" {
			continue
		}
		if want := expectedWord(words[0].Bytes, f.Values[0].Text, int(*f.Offset-from)); want != "" {
			f.Words = append([]report.Word{{Of: "expected", Bytes: want}}, words...)
		}
	}
}

// wordAt is the word of a section of the file; nil where there is none.
func wordAt(f *cubin.File, section string, from uint64) []byte {
	if f == nil {
		return nil
	}
	i := f.Lookup(section)
	if i <= 0 {
		return nil
	}
	s := f.Section(i)
	data := f.Content(&s)
	if from >= uint64(len(data)) {
		return nil
	}
	return data[from:min(from+wordLength, uint64(len(data)))]
}

// expectedWord puts what is expected into the word that is there; "" where that
// isn't bytes of it.
func expectedWord(found, want string, at int) string {
	if _, err := hex.DecodeString(want); err != nil || want == "" || 2*at+len(want) > len(found) {
		return ""
	}
	return found[:2*at] + want + found[2*at+len(want):]
}
