package relocs

import (
	"reflect"
	"testing"

	"github.com/twinlink/twinlink/cuda"
)

// Textures are all three kinds; undefined is what is global, no texture and no shared memory, and nothing defines.
func TestSurvey(t *testing.T) {
	const object = byte(cuda.STTCudaObject)
	kinds := []entry{{1, global | byte(cuda.STTCudaTexture), 0, 0, 0, 0}, {3, global | byte(cuda.STTCudaSampler), 0, 0, 0, 0}, {5, global | byte(cuda.STTCudaSurface), 0, 0, 0, 0}}
	var facts Facts
	if facts.survey([]*cubinEditor{program(nil, nil, nil, kinds...)}, 3, ".text.f"); !reflect.DeepEqual(facts, Facts{Textures: []string{"f", "v", "w"}}) {
		t.Errorf("%+v", facts)
	}
	for _, c := range []struct {
		e    entry
		want []string
	}{
		{entry{5, global | object, 0, 0, 0, 4}, []string{"w"}}, {entry{5, weak | object, 0, 0, 0, 4}, nil}, {entry{5, object, 0, 0, 0, 4}, nil},
		{entry{5, global | object, byte(cuda.STOShared), 0, 0, 4}, nil}, {entry{5, global | byte(cuda.STTSection), 0, 0, 0, 0}, nil}, {entry{5, global | object, 0, 5, 0, 4}, nil},
	} {
		facts = Facts{}
		if facts.survey([]*cubinEditor{program(nil, make([]byte, 8), nil, c.e)}, 3, ".text.f"); !reflect.DeepEqual(facts.Undefined, c.want) {
			t.Errorf("%+v: %v, want %v", c.e, facts.Undefined, c.want)
		}
	}
	// Of symbols in tables that aren't there nothing is told.
	f := program(nil, nil, nil)
	for _, index := range []int{-1, 0, len(f.parts), len(f.parts) + 7} {
		if table, names := f.symbols(index); table != nil || names != nil {
			t.Errorf("table %d: %x, %x", index, table, names)
		}
	}
}
