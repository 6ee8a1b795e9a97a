package schedule

import (
	"slices"

	"github.com/twinlink/twinlink/cuda"
	"github.com/twinlink/twinlink/oracle/check/internal/image"
	"github.com/twinlink/twinlink/oracle/check/internal/sass"
)

// leaving is unsound for a word after which code of others runs that relies on the
// input's waits, and unknown where nobody knows what follows.
//
// Source: 6,046 calls and 4,110 returns in code of ptxas and nvlink 13.0 to 13.5 for sm_100 to sm_121:
// at none is a result or an operand pending.
func (s *schedule) leaving(i int) sass.Soundness {
	switch word := s.words[i]; sass.Opcode(word) {
	case sass.OpRet, sass.OpCall, sass.OpCallRel, sass.OpCallTo, sass.OpCallRelTo:
		return sass.Unsound
	case sass.OpBrx, sass.OpBrxU:
		if len(s.targets[i]) == 0 {
			return sass.Unknown
		}
	case sass.OpBra:
		if to := (int64(i+1)*sass.Instruction + sass.Distance(word)) / sass.Instruction; to < 0 || to >= int64(len(s.words)) {
			return sass.Unsound
		}
	}
	return sass.Sound
}

// branchTargets lists where the indirect branches go, as the input's attribute says.
func (s *schedule) branchTargets() map[int][]int {
	value, _ := s.area.Owner.Attribute(cuda.AttrIndirectBranchTargets)
	return s.targetsIn(value)
}

// targetsIn reads that attribute: groups of the branch, a number, how many, and the targets.
func (s *schedule) targetsIn(value []byte) map[int][]int {
	targets := map[int][]int{}
	place := func(at uint64) (first, last uint64) {
		first, last, ok := s.area.Words.LeadsTo(uint64(image.Word(value, at)) / sass.Instruction)
		if !ok {
			return uint64(len(s.words)), uint64(len(s.words))
		}
		return first, last
	}
	for at := uint64(0); at+12 <= uint64(len(value)); {
		_, branch := place(at)
		n := image.Word(value, at+8)
		at += 12
		for ; n > 0 && at+4 <= uint64(len(value)); n-- {
			to, _ := place(at)
			targets[int(branch)] = append(targets[int(branch)], int(to))
			at += 4
		}
	}
	return targets
}

// next lists the words that may follow one.
func (s *schedule) next(i int) []int {
	word := s.words[i]
	always := word[1]>>4 == 7
	switch sass.Opcode(word) {
	case sass.OpExit, sass.OpRet:
		if always {
			return nil
		}
	case sass.OpBra, sass.OpBraU:
		to := (int64(i+1)*sass.Instruction + sass.Distance(word)) / sass.Instruction
		var list []int
		if to >= 0 && to < int64(len(s.words)) {
			list = append(list, int(to))
		}
		divergent := image.Number(word, 3, 1) != 0 || image.Number(word, 8, 8)>>18%(1<<23) != 0xe0
		if !always || divergent || sass.Opcode(word) == sass.OpBraU {
			list = append(list, i+1)
		}
		return list
	case sass.OpBrx, sass.OpBrxU:
		if always {
			return s.targets[i]
		}
		return append(slices.Clone(s.targets[i]), i+1)
	}
	return []int{i + 1}
}
