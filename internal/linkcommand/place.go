package linkcommand

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// NvlinkName is how nvlink is called.
const NvlinkName = "nvlink"

// RealName is what the toolkit's own nvlink is called in a folder that as-nvlink
// made, and ReleaseName the file that holds its version.
const (
	RealName    = "nvlink.real"
	ReleaseName = "nvlink.release"
)

// VerifyVariable in the environment has the toolkit's own nvlink make each link, and
// twinlink judge it.
const VerifyVariable = "TWINLINK_VERIFY"

// Judged reports whether links are to be judged instead of made.
func Judged() bool { return os.Getenv(VerifyVariable) != "" && os.Getenv(VerifyVariable) != "0" }

// Place is the folder that as-nvlink made and in which the program was started
// as nvlink; "" for none.
func Place(argv0 string) string {
	path := argv0
	if !strings.ContainsRune(path, filepath.Separator) {
		found, err := exec.LookPath(path)
		if err != nil && !errors.Is(err, exec.ErrDot) {
			return ""
		}
		path = found
	}
	folder := filepath.Dir(path)
	if _, err := os.Lstat(filepath.Join(folder, RealName)); err != nil {
		return ""
	}
	return folder
}

// placedRelease is the build of the nvlink for which such a folder was made, "" for none.
func placedRelease(folder string) string {
	if folder == "" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(folder, ReleaseName))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Beside returns the program of a name that is where this one does.
func Beside(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	if strings.EqualFold(filepath.Ext(self), ".exe") {
		name += ".exe"
	}
	program := filepath.Join(filepath.Dir(self), name)
	_, err = os.Stat(program)
	return program, err
}
