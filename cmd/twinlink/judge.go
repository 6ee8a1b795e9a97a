package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/twinlink/twinlink/internal/cmdline"
	"github.com/twinlink/twinlink/internal/linkcommand"
	"github.com/twinlink/twinlink/internal/registration"
	"github.com/twinlink/twinlink/internal/verify"
	"github.com/twinlink/twinlink/report"
)

// Environment of a build whose links are judged.
const (
	verifyVariable = linkcommand.VerifyVariable // 1: judge; fail: a wrong link fails
	reportVariable = "TWINLINK_REPORT"          // file to which a line is appended
	realVariable   = "TWINLINK_NVLINK"          // the nvlink that links
)

// judgement is the line about one link.
type judgement struct {
	Output       string   `json:"output"`
	Arch         string   `json:"arch"`
	Release      string   `json:"release"`
	Status       int      `json:"status"`  // nvlink's
	Verdict      string   `json:"verdict"` // agree, differ, not judged
	Image        string   `json:"image,omitempty"`
	Registration string   `json:"registration,omitempty"`
	Findings     []string `json:"findings,omitempty"`
	Detail       string   `json:"detail,omitempty"`
	Folder       string   `json:"folder"`
	Args         []string `json:"args"`
}

// linkAndJudge has the real nvlink make the link and judges it. The status is
// nvlink's.
func linkAndJudge(folder string, args []string, s streams) int {
	real := os.Getenv(realVariable)
	if real == "" && folder != "" {
		real = filepath.Join(folder, linkcommand.RealName)
	}
	if real == "" {
		fmt.Fprintf(s.err, "twinlink: %s is set, but nvlink was not found: name one with %s\n", verifyVariable, realVariable)
		return exitUsage
	}
	cmd := exec.Command(real, args...)
	cmd.Stdout, cmd.Stderr = s.out, s.err
	err := cmd.Run()
	var exit *exec.ExitError
	status := 0
	switch {
	case errors.As(err, &exit):
		if status = exit.ExitCode(); status < 0 {
			status = exitDiffer // ended by a signal
		}
	case err != nil:
		fmt.Fprintf(s.err, "twinlink: %s\n", err)
		return exitUsage
	}
	j, ok := judge(folder, args, status)
	if !ok {
		return status
	}
	line, err := json.Marshal(j)
	if err != nil {
		fmt.Fprintf(s.err, "twinlink: %s\n", err)
		return status
	}
	wrong := j.Verdict == report.Differ.String()
	if name := os.Getenv(reportVariable); name != "" {
		if err := appendLine(name, line); err != nil {
			fmt.Fprintf(s.err, "twinlink: %s\n", err)
		}
	} else if wrong {
		fmt.Fprintf(s.err, "twinlink: %s\n", line)
	}
	if wrong && os.Getenv(verifyVariable) == "fail" && status == 0 {
		return exitDiffer
	}
	return status
}

// appendLine appends a line in one write, so that links that run side by side
// don't mix theirs.
func appendLine(name string, line []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// judge looks at what nvlink made; false for a command line that links nothing.
func judge(folder string, args []string, status int) (*judgement, bool) {
	wd, err := os.Getwd()
	if err != nil {
		wd = ""
	}
	release := linkcommand.Release(folder, args)
	cmd, err := cmdline.Parse(release, args, linkcommand.ReadOptions)
	j := &judgement{Release: release.String(), Status: status, Verdict: "not judged", Folder: wd, Args: args}
	if err != nil {
		j.Detail = err.Error()
		return j, true
	}
	if cmd.Mode != cmdline.Link {
		return nil, false
	}
	j.Output, j.Arch = cmd.Output, cmd.Options.Arch
	if _, virtual := cmd.Virtual(); virtual || status != 0 {
		j.Detail = "nvlink made no image"
		return j, true
	}
	image, err := os.ReadFile(cmd.Output)
	if err != nil {
		j.Detail = err.Error()
		return j, true
	}
	q := &verify.Question{Subject: cmd.Output, Release: release.String(), ReadFile: linkcommand.ReadOptions, Output: image}
	for _, name := range cmd.Inputs {
		data, err := os.ReadFile(name)
		if err != nil {
			j.Detail = err.Error()
			return j, true
		}
		q.Inputs = append(q.Inputs, verify.File{Name: name, Data: data})
	}
	q.Args = withoutFiles(withoutOutput(args), q.Inputs)
	row := verify.Ask(context.Background(), q, nil)
	j.Verdict = row.Verdict.String()
	j.Image = row.Note
	for _, f := range row.Findings {
		j.Findings = append(j.Findings, strings.TrimSpace(f.Key+" "+f.Section+" "+f.Symbol))
	}
	j.registration(cmd, wd)
	return j, true
}

// registration compares the registration file with the one twinlink would have
// written.
func (j *judgement) registration(cmd *cmdline.Command, folder string) {
	if !cmd.Given(cmdline.RegisterLinkBinaries) {
		return
	}
	text, err := os.ReadFile(cmd.RegisterFile)
	if err != nil {
		j.Registration = err.Error()
		return
	}
	j.Registration = "same"
	for _, f := range registration.CheckFile(text, registeredNames(cmd, folder)) {
		j.Registration, j.Verdict = "not the one that the objects need", report.Differ.String()
		j.Findings = append(j.Findings, f.String())
	}
}

// withoutOutput takes -o and its value out of a command line.
func withoutOutput(args []string) []string {
	var rest []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-o" || a == "--output-file":
			i++
		case strings.HasPrefix(a, "-o=") || strings.HasPrefix(a, "--output-file="):
		default:
			rest = append(rest, a)
		}
	}
	return rest
}
