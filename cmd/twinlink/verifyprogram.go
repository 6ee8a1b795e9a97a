package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/container"
	"github.com/twinlink/twinlink/internal/inputs"
	"github.com/twinlink/twinlink/internal/linkcommand"
	"github.com/twinlink/twinlink/internal/registration"
	"github.com/twinlink/twinlink/report"
)

// finished returns the program or shared object that verify is asked about alone:
// there is nothing to link.
func finished(args []string) (name string, data []byte, ok bool) {
	preview := cmdline.Scan(args, linkcommand.ReadOptions)
	if preview.Arch != "" || len(preview.Inputs) != 1 {
		return "", nil, false
	}
	name = preview.Inputs[0]
	data, err := os.ReadFile(name)
	if err != nil {
		return "", nil, false
	}
	switch container.Identify(data) {
	case container.Program, container.SharedObject:
		return name, data, true
	}
	return "", nil, false
}

// verifyProgram holds what a finished program registers and refers to against
// the device code in it.
func verifyProgram(name string, data []byte) (report.Row, error) {
	p, err := registration.CheckProgram(name, data)
	if err != nil {
		return report.Row{}, err
	}
	row := report.Row{Subject: name, Arch: strings.Join(p.Images, " "), Verdict: report.Agree, Findings: faultFindings(name, p.Faults)}
	row.Note = fmt.Sprintf("%s: modules %d, names that host code refers to %d, architectures %d", p.Format, p.Modules, p.Names, len(p.Images))
	for _, what := range p.Unjudged {
		row.Unjudged = append(row.Unjudged, report.Unjudged{Name: name, Reason: what})
		row.Verdict = report.NotJudged
	}
	if len(row.Findings) > 0 {
		row.Verdict = report.Differ
	}
	return row, nil
}

// checkRegistered holds a registration file against the inputs of a link.
func checkRegistered(file string, args []string, release cmdline.Release) ([]report.Finding, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cmd, err := cmdline.Parse(release, append(append([]string(nil), args...), "-o", "out"), linkcommand.ReadOptions)
	if err != nil {
		return nil, err
	}
	folder, err := os.Getwd()
	if err != nil {
		folder = ""
	}
	return faultFindings(file, registration.CheckFile(text, registeredNames(cmd, folder))), nil
}

// registeredNames are the identifiers of a link's inputs, as the registration
// file has them.
func registeredNames(cmd *cmdline.Command, folder string) []string {
	set := inputs.New(cmd, inputs.NewReader(os.ReadFile))
	names := append([]string(nil), cmd.Inputs...)
	for _, lib := range cmd.Libraries {
		if path, _ := set.Library(lib); path != "" {
			names = append(names, path)
		}
	}
	for _, name := range names {
		set.Add(name)
	}
	_, list, err := registration.ReadFile(inputs.RegisterText(folder, set.Registered))
	if err != nil {
		return nil // made here
	}
	return list
}

// meanings explain the faults.
var meanings = map[registration.FaultKind]string{
	registration.Malformed:    "the file is no registration file of nvlink",
	registration.Count:        "the number on the first line is not the number of lines after it",
	registration.Twice:        "the module's kernels are registered twice, which terminates the program at startup",
	registration.Unregistered: "the module is never registered: its kernels can't be launched",
	registration.Unknown:      "the registered module is not part of the link: the host's link fails",
	registration.NoKernel:     "host code refers to a kernel that is not in the image: its launch fails",
	registration.NoVariable:   "host code refers to a variable that is not in the image: copies to it fail",
}

func faultFindings(file string, faults []registration.Fault) []report.Finding {
	var list []report.Finding
	for _, f := range faults {
		list = append(list, report.Finding{Key: string(f.Kind), Level: report.Wrong, File: file, Section: f.Image, Symbol: f.Name, Meaning: meanings[f.Kind]})
	}
	return list
}
