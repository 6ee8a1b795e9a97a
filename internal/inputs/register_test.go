package inputs

import "testing"

func TestRegisterText(t *testing.T) {
	// nvlink 11.8.89, 12.4.131, 13.0.88 in the folder /w.
	var list []Registration
	for _, path := range []string{"a.cubin", "./a.cubin", "../w/a.cubin", "d-1.x/a.cubin", "d\u00e9/a.cubin", "/q/a.cubin", "@AZ[`az{09:.cubin"} {
		list = append(list, Registration{Path: path})
	}
	list = append(list, Registration{ID: "_fbc93974_7_part_cu_e319b529"}) // of the object of nvcc that package container has
	got := string(RegisterText("/w", list))
	want := `#define NUM_PRELINKED_OBJECTS 8
DEFINE_REGISTER_FUNC(_w_a_cubin)
DEFINE_REGISTER_FUNC(_w___a_cubin)
DEFINE_REGISTER_FUNC(_w____w_a_cubin)
DEFINE_REGISTER_FUNC(_w_d_1_x_a_cubin)
DEFINE_REGISTER_FUNC(_w_d___a_cubin)
DEFINE_REGISTER_FUNC(_q_a_cubin)
DEFINE_REGISTER_FUNC(_w__AZ__az_09__cubin)
DEFINE_REGISTER_FUNC(_fbc93974_7_part_cu_e319b529)
`
	if got != want {
		t.Errorf("got %s", got)
	}
}
