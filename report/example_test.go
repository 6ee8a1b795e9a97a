package report_test

import (
	"os"

	"github.com/twinlink/twinlink/report"
)

func ExampleWrite() {
	offset := uint64(0x20)
	r := &report.Report{Command: "verify", Rows: []report.Row{{
		Subject: "a.cubin b.cubin", Arch: "sm_90", Release: "13.0", Verdict: report.Differ,
		Answers: []report.Answer{{Source: report.Oracle, Outcome: report.Rejected}},
		Findings: []report.Finding{{
			Key: "relocation.field.R_CUDA_ABS32_LO_32", Level: report.Wrong, Section: ".text.k", Offset: &offset,
			Meaning: "The kernel k loads from another address than the one of table.",
		}},
	}}}
	_ = report.Write(os.Stdout, r, report.Text)
	// Output:
	// SUBJECT          ARCH   RELEASE  ORACLE    VERDICT  FIRST FINDING
	// a.cubin b.cubin  sm_90  13.0     rejected  differ   relocation.field.R_CUDA_ABS32_LO_32 .text.k+0x20
	//
	// 0 agree, 1 differ, 0 refused alike, 0 skipped
	//
	// a.cubin b.cubin sm_90 13.0: differ, 1 finding
	//   error: relocation.field.R_CUDA_ABS32_LO_32 at .text.k+0x20
	//     The kernel k loads from another address than the one of table.
}
