package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
)

func frame(t *testing.T, payload []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteFrame(&b, payload); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	q := &Question{ID: 7, PTX: true, Options: []string{"-arch=sm_90", ""}, Inputs: []Input{{1, "a.cubin", []byte("\x7fELF")}, {10, "", nil}}}
	payload, err := ReadFrame(bufio.NewReader(bytes.NewReader(frame(t, AppendQuestion(nil, q)))), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := ReadQuestion(payload)
	if err != nil {
		t.Fatal(err)
	}
	if raw.ID != 7 || !raw.PTX || string(raw.Options[0]) != "-arch=sm_90\x00" || string(raw.Options[1]) != "\x00" ||
		string(raw.Inputs[0].Name) != "a.cubin\x00" || string(raw.Inputs[0].Data) != "\x7fELF" || raw.Inputs[1].Kind != 10 || len(raw.Inputs[1].Data) != 0 {
		t.Errorf("%+v", raw)
	}
	a := &Answer{ID: 9, Step: StepAdd, Input: 3, Code: 5, Output: []byte("image"), Log: []byte("log"), Info: []byte{}, Text: []byte("text"), Lost: 1 << 40, Fault: "f", Protocol: 1, Major: 13, Minor: 5}
	got, err := ReadAnswer(AppendAnswer(nil, a))
	if err != nil || !reflect.DeepEqual(got, a) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestGarbled cuts and changes frames: an error, never an answer of another kind.
func TestGarbled(t *testing.T) {
	whole := frame(t, AppendAnswer(nil, &Answer{ID: 1, Output: []byte("0123456789")}))
	for n := range whole {
		if _, err := ReadFrame(bufio.NewReader(bytes.NewReader(whole[:n])), nil); n == 0 && err != io.EOF || n > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	for i := range whole {
		bad := bytes.Clone(whole)
		bad[i] ^= 0x40
		if _, err := ReadFrame(bufio.NewReader(bytes.NewReader(bad)), nil); err == nil {
			t.Errorf("byte %d changed: no error", i)
		}
	}
	payload := AppendAnswer(nil, &Answer{ID: 1, Output: []byte("0123456789")})
	for n := range payload {
		if _, err := ReadAnswer(payload[:n]); !errors.Is(err, ErrGarbled) {
			t.Errorf("payload of %d bytes: %v", n, err)
		}
	}
	if _, err := ReadAnswer(append(payload, 0)); !errors.Is(err, ErrGarbled) {
		t.Errorf("a byte more: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(AppendQuestion(nil, &Question{Options: []string{"-r"}, Inputs: []Input{{1, "a", []byte("b")}}}))
	f.Add(AppendAnswer(nil, &Answer{Output: []byte("x")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if q, err := ReadQuestion(data); err == nil {
			for _, o := range q.Options {
				if o[len(o)-1] != 0 {
					t.Error("an option without its NUL")
				}
			}
		}
		_, _ = ReadAnswer(data)
		_, _ = ReadFrame(bufio.NewReader(bytes.NewReader(data)), nil)
	})
}
