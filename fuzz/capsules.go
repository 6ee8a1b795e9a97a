package fuzz

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/twinlink/twinlink/capsule"
	"github.com/twinlink/twinlink/corpus"
	"github.com/twinlink/twinlink/cubin"
	"github.com/twinlink/twinlink/selfcheck"
)

// Capsule is the bytes of a capsule, and how much code it says it is of.
type Capsule struct {
	Data []byte
	Text uint64
}

// capsuleFiles are the objects of the corpus that have capsules, and their capsules.
var capsuleFiles = sync.OnceValues(func() ([][]byte, error) {
	list, err := corpus.Capsules()
	if err != nil {
		return nil, err
	}
	var files [][]byte
	for i := range list {
		data, err := list[i].Data()
		if err != nil {
			return nil, err
		}
		if len(data) < 64<<10 {
			files = append(files, data)
		}
	}
	return files, nil
})

var capsules = sync.OnceValues(func() ([]Capsule, error) {
	files, err := capsuleFiles()
	if err != nil {
		return nil, err
	}
	var list []Capsule
	for _, data := range files {
		f, err := cubin.Open("corpus", data)
		if err != nil {
			return nil, err
		}
		for _, fn := range capsule.Open(f).Funcs {
			if fn.Cap != nil {
				list = append(list, Capsule{Text: uint64(len(fn.Code)), Data: fn.Cap.Append(nil)})
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("fuzz: the corpus has no capsule")
	}
	return list, nil
})

// ReadCapsule makes a case: nodes and records of a real capsule, with bytes, whole records or the bitmap changed; or any
// bytes at all.
func ReadCapsule(r *Reader) (Capsule, error) {
	list, err := capsules()
	if err != nil {
		return Capsule{}, err
	}
	sel := r.Uint16()
	if sel >= 0xff00 {
		n := r.Below(512)
		return Capsule{Text: 16 * uint64(r.Byte()), Data: r.Bytes(n)}, nil
	}
	c := list[int(sel)%len(list)]
	c.Data = bytes.Clone(c.Data)
	for range r.Byte() % 4 {
		at := r.Below(len(c.Data))
		switch r.Byte() % 8 {
		case 0:
			c.Data[at] ^= 1 << (r.Byte() % 8)
		case 1:
			c.Data[at] = r.Byte()
		case 2:
			c.Data[at&7] ^= r.Byte() // version and count
		case 3:
			c.Text += 16
		case 4:
			c.Text -= min(c.Text, 16*uint64(r.Byte()%4))
		case 5:
			c.Data = c.Data[:at]
		case 6:
			c.Data = append(c.Data, r.Bytes(16)...)
		case 7:
			copy(c.Data[at:], bytes.Clone(c.Data[r.Below(len(c.Data)):]))
		}
		if len(c.Data) < 8 {
			break
		}
	}
	return c, nil
}

// Judge decodes. What decodes covers its code, holds node after node without a gap, and is built again to the same bytes.
func (c *Capsule) Judge() (Ruling, *Divergence) {
	ruling := BothRefuse
	d := within("capsule", len(c.Data), func() *Divergence {
		got, fault := capsule.Decode(c.Data, c.Text)
		if fault != nil {
			return nil
		}
		ruling = Agree
		if built := got.Append(nil); !bytes.Equal(built, c.Data) {
			return &Divergence{Key: "capsule-build", What: fmt.Sprintf("a capsule is built again other from byte %#x on", firstDifference(built, c.Data))}
		}
		at := uint32(0)
		for i := range got.Nodes {
			n := &got.Nodes[i]
			if n.SASS != at {
				return &Divergence{Key: "capsule-nodes", What: fmt.Sprintf("node %d is at %#x, the one before ends at %#x", i, n.SASS, at)}
			}
			at += 16 * uint32(n.Span)
			if n.Span > 0 && got.AtSASS(n.SASS) != i { // some records stand for no SASS
				return &Divergence{Key: "capsule-node", What: fmt.Sprintf("node %d: span %d, found at %d", i, n.Span, got.AtSASS(n.SASS))}
			}
		}
		if uint64(at) != c.Text || uint64(got.SASSSize()) != c.Text {
			return &Divergence{Key: "capsule-size", What: fmt.Sprintf("the nodes cover %#x bytes, the code has %#x", at, c.Text)}
		}
		return nil
	})
	if d != nil {
		ruling = Diverge
	}
	return ruling, d
}

// ReadSelfcheck makes a file to check: an object with capsules, edited or not, and whether it was.
func ReadSelfcheck(r *Reader) (data []byte, edited bool, err error) {
	files, err := capsuleFiles()
	if err != nil {
		return nil, false, err
	}
	original := files[int(r.Uint16())%len(files)]
	data = Mutate(r, original)
	return data, !bytes.Equal(data, original), nil
}

// JudgeSelfcheck checks a file twice: what is said is the same, can be printed, and an unchanged file of the corpus has no
// finding.
func JudgeSelfcheck(data []byte, edited bool) (Ruling, *Divergence) {
	ruling := Agree
	d := guarded("selfcheck", func() *Divergence {
		r := selfcheck.Check("input", data, selfcheck.Options{})
		again := selfcheck.Check("input", data, selfcheck.Options{})
		var one, two bytes.Buffer
		if err := r.JSON(&one); err != nil {
			return &Divergence{Key: "selfcheck-json", What: err.Error()}
		}
		if err := again.JSON(&two); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			return &Divergence{Key: "selfcheck-again", What: "the same file is judged in two ways"}
		}
		if err := r.Text(io.Discard); err != nil {
			return &Divergence{Key: "selfcheck-text", What: err.Error()}
		}
		if r.Verdict == selfcheck.Refused {
			ruling = BothRefuse
		}
		if !edited && len(r.Findings) > 0 {
			return &Divergence{Key: "selfcheck-sound", What: fmt.Sprintf("a sound file has %d findings, %v first", len(r.Findings), r.Findings[0])}
		}
		return nil
	})
	if d != nil {
		ruling = Diverge
	}
	return ruling, d
}

// infoFile is an object whose .nv.info is section infoAt.
var infoFile = sync.OnceValues(func() (*cubin.Editor, error) {
	files, err := Files()
	if err != nil {
		return nil, err
	}
	for _, data := range files {
		if d, err := cubin.Decode("corpus", data); err == nil && d.Lookup(".nv.info") > 0 {
			return d, nil
		}
	}
	return nil, fmt.Errorf("fuzz: the corpus has no .nv.info")
})

// JudgeInfo reads any bytes as .nv.info: the records that are read are read again of what they write.
func JudgeInfo(data []byte) (Ruling, *Divergence) {
	file, err := infoFile()
	if err != nil {
		return Diverge, &Divergence{Key: "info", What: err.Error()}
	}
	ruling := Agree
	d := within("info", len(data), func() *Divergence {
		at := file.Lookup(".nv.info")
		if err := file.SetData(at, bytes.Clone(data)); err != nil {
			return &Divergence{Key: "info-set", What: err.Error()}
		}
		list, err := file.Info(at)
		if err != nil {
			ruling = BothRefuse
			return typed("info-error", err)
		}
		var out []byte
		for i := range list {
			before := len(out)
			if out = list[i].Append(out); len(out)-before != list[i].Len() {
				return &Divergence{Key: "info-length", What: fmt.Sprintf("record %d has %d bytes and says %d", i, len(out)-before, list[i].Len())}
			}
		}
		// What is written is padded, as no reader has to want it: read again it is the same.
		if err := file.SetData(at, out); err != nil {
			return &Divergence{Key: "info-set", What: err.Error()}
		}
		if again, err := file.Info(at); err != nil || !reflect.DeepEqual(list, again) {
			return &Divergence{Key: "info-round-trip", What: fmt.Sprintf("written and read again the records are others: %v", err)}
		}
		return nil
	})
	if d != nil {
		ruling = Diverge
	}
	return ruling, d
}
