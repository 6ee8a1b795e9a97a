package linkcommand

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twinlink/twinlink/internal/nvidia"
	"github.com/twinlink/twinlink/internal/nvidia/nvidiatest"
	"github.com/twinlink/twinlink/internal/ownwarnings"
	"github.com/twinlink/twinlink/internal/splitmix"
)

func TestMain(m *testing.M) { nvidiatest.Main(m) }

var recordDrawn = flag.Bool("record-drawn", false, "ask nvlink, and write testdata/drawn.tsv anew")

// drawnReleases are the releases that are asked, and the toolkit of whose make most files are.
var drawnReleases = map[string]string{"11.8": "11.8", "12.4": "12.4", "13.0": "13.0", "13.3": "13.0", "13.5": "13.0"}

// drawnLines is how many command lines are drawn.
const drawnLines = 1200

// drawnOptions are options with values that fit, and some that don't.
var drawnOptions = []string{
	"-g", "-r", "-v", "-w", "-Werror", "--disable-infos", "--suppress-arch-warning", "--suppress-debug-info", "--suppress-stack-size-warning", "--preserve-relocs", "--force-rela",
	"--register-link-binaries=reg.c", "--register-link-binaries reg.c", "--keep-system-libraries", "--use-host-info", "--ignore-host-info", "--kernels-used=k", "--kernels-used=k,f", "--variables-used=g",
	"-dump-callgraph", "--dump-callgraph-no-demangle", "--extra-warnings", "-m64", "-m32", "--machine=65", "-L. -lw", "-L . -ld", "-L. -lt -ld", "-L. -lnone", "-lw", "-cpu-arch=X86_64", "-cpu-arch=none",
	"--report-arch", "-optf opts", "--options-file=more", "-optf self", "-optf none", "-optf=opts,more", "-maxrregcount=32", "-maxrregcount=x", "-Xptxas -v", "--allow-undefined-globals", "--shared",
	"--reserve-null-pointer", "--dont-reserve-null-pointer", "--disable-smem-reservation", "--enable-extended-smem", "--uumn", "--cuda-api-version=12.4", "--cuda-api-version=x", "--tool-name=mylink",
	"--verbose-tkinfo", "--verbose-tkinfo=false", "--time=-", "--split-compile=2", "--device-stack-protector=true", "-Ofc=max", "-o twice.cubin", "--output-file=out.cubin", "--nv-host=opts", "--nv-host=none",
	"--uidx-file=opts", "--link-as-tools-patch", "--verbose2", "--nvvm-latest", "-nonsense", "--nonsense=1", "-g=1", "-r=x", "-arch", "-", "--", "-kernels-used", "-dlto", "-lto", "-emit-ptx",
}

// drawn is a command line.
type drawn struct {
	release string
	args    []string
}

// drawLines draws command lines of the folder's files: the same for a seed always.
func drawLines(folder map[string][]byte) (list []drawn) {
	names := append(slices.Sorted(maps.Keys(folder)), "absent.cubin", "absent.o", "absent")
	files := names[:0:0]
	for _, name := range names {
		if strings.Contains(name, ".") {
			files = append(files, name)
		}
	}
	sound := []string{"want.cubin", "def.cubin", "k.cubin", "g.cubin", "h.o", "w.o", "d.o", "libw.a", "libd.a", "k.fat.fatbin", "p.o", "tex.cubin", "libcudadevrt.a"}
	for n := range drawnLines {
		r := splitmix.New(uint64(n) + 1)
		d := drawn{release: splitmix.Pick(r, []string{"11.8", "12.4", "13.0", "13.0", "13.3", "13.5"})}
		target := "-arch=sm_75"
		if r.OneIn(3) {
			target = splitmix.Pick(r, []string{"-arch=sm_80", "-arch sm_80", "-arch=sm_90", "-arch=sm_90a", "-arch=sm_100", "-arch=sm_50", "-arch=compute_75", "-arch=compute_80", "-arch=compute_120", "-arch=sm_76", "-arch=75", ""})
		}
		parts := []string{target}
		for range r.Below(3) {
			parts = append(parts, splitmix.Pick(r, drawnOptions))
		}
		for range 1 + r.Below(3) {
			if r.OneIn(2) {
				parts = append(parts, splitmix.Pick(r, sound))
			} else {
				parts = append(parts, splitmix.Pick(r, files))
			}
		}
		splitmix.Shuffle(r, parts)
		d.args = strings.Fields(strings.Join(parts, " "))
		if !r.OneIn(40) {
			d.args = append(d.args, "-o", "out.cubin")
		}
		list = append(list, d)
	}
	return list
}

// TestDrawnCommandLines runs command lines that chance made and wants what nvlink of the same release was seen to do: status,
// both outputs, all that is said and printed. Where it is known to differ testdata/drawn.tsv says why.
func TestDrawnCommandLines(t *testing.T) {
	folders := map[string]map[string][]byte{}
	for release, toolkit := range drawnReleases {
		folders[release] = folderOf(t, toolkit)
	}
	lines := drawLines(folders["13.0"])
	if *recordDrawn {
		writeDrawn(t, folders, lines)
	}
	want, known := readDrawn(t)
	dirs := map[string]string{}
	for release, folder := range folders {
		dirs[release] = t.TempDir()
		putFiles(t, dirs[release], folder)
	}
	for n, d := range lines {
		t.Chdir(dirs[d.release])
		key := strconv.Itoa(n)
		got := d.ours(t)
		differs := want[key] != d.String()+"\t"+got
		switch {
		case differs && known[key] == "":
			t.Errorf("line %d:\n%s\t%s\nnvlink, as recorded:\n%s", n, d, got, want[key])
		case !differs && known[key] != "":
			t.Errorf("line %d is the same, though it is listed: %s", n, known[key])
		}
	}
}

// Where nvlink is installed some lines are asked again.
func TestDrawnIsTrue(t *testing.T) {
	folders := map[string]map[string][]byte{}
	for release, toolkit := range drawnReleases {
		folders[release] = folderOf(t, toolkit)
	}
	want, _ := readDrawn(t)
	for n, d := range drawLines(folders["13.0"]) {
		if key := strconv.Itoa(n); n%60 == 7 && d.release != "13.3" { // which "make witness" doesn't fetch
			if now := d.theirs(t, folders[d.release]); now != want[key] {
				t.Errorf("line %s: nvlink does\n%s\nrecorded is\n%s", key, now, want[key])
			}
		}
	}
}

// readDrawn returns what nvlink did by numbers of lines, and why twinlink does otherwise.
func readDrawn(t *testing.T) (want, known map[string]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/drawn.tsv")
	if err != nil && !*recordDrawn {
		t.Fatal(err)
	}
	want, known = map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		key, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if why, ok := strings.CutPrefix(rest, "known: "); ok {
			known[key] = why
		} else {
			want[key] = rest
		}
	}
	return want, known
}

func (d drawn) String() string { return d.release + " " + strings.Join(d.args, " ") }

func putFiles(t *testing.T, dir string, folder map[string][]byte) {
	t.Helper()
	for name, data := range folder {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// ours runs a line in the working folder.
func (d drawn) ours(t *testing.T) string {
	line, _ := d.run(t)
	return line
}

// run is what twinlink does, and its image.
func (d drawn) run(t *testing.T) (line string, image []byte) {
	t.Helper()
	var out, said bytes.Buffer
	exit := Run(Call{Tool: NvlinkName, Out: &out, Err: &said}, append([]string{"-toolkit=" + d.release, "--as-nvlink"}, d.args...))
	files := map[string][]byte{}
	for _, name := range drawnOutputs {
		if data, err := os.ReadFile(name); err == nil {
			files[name] = data
			_ = os.Remove(name)
		}
	}
	rest, _ := ownwarnings.Strip(said.String())
	return outcome(exit, files, out.String(), dropped.ReplaceAllString(rest, "")), files["out.cubin"]
}

var drawnOutputs = [...]string{"out.cubin", "twice.cubin", "reg.c"}

// outcome is what came of a run, on one line. What a link that failed leaves of its outputs isn't told.
func outcome(exit int, files map[string][]byte, out, said string) string {
	text := fmt.Sprintf("%d\t", exit)
	for _, name := range drawnOutputs {
		data, ok := files[name]
		if !ok || exit != 0 {
			continue
		}
		if name == "reg.c" {
			text += strconv.Quote(placeless(string(data))) + " "
		} else {
			text += name + "=" + checksum(data) + " "
		}
	}
	return text + "\t" + strconv.Quote(timeless(out)) + "\t" + strconv.Quote(timeless(added.ReplaceAllString(said, "$1")))
}

func checksum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:6])
}

var (
	dropped    = regexp.MustCompile(`(?m)^\S+ warning : (?:.*: dropped, as nvlink does|the image is empty: .*|.* is omitted, as with nvlink: .*?)( \(target: \S+\))?\n`) // of --as-nvlink
	added      = regexp.MustCompile(`(?m)^(\S+ fatal   : (?:unexpected archive format|Memory allocation failure|Could not find fatbin in '[^']*')): .*$`)                // what is wrong
	registered = regexp.MustCompile(`FUNC\(_\w*?(?:witness_\d+|_00\d)_`)
	duration   = regexp.MustCompile(`\d+\.\d+ ms`)
)

// placeless and timeless take out what another folder and another run make other.
func placeless(text string) string { return registered.ReplaceAllString(text, "FUNC(/") }
func timeless(text string) string  { return duration.ReplaceAllString(text, "N") }

// theirs asks nvlink.
func (d drawn) theirs(t *testing.T, folder map[string][]byte) string {
	line, _ := d.nvlink(t, folder)
	return line
}

// nvlink is what nvlink does, and the files that it makes.
func (d drawn) nvlink(t *testing.T, folder map[string][]byte) (line string, files map[string][]byte) {
	t.Helper()
	tool, err := nvidiatest.Need(t, d.release).Tool(d.release, nvidia.Nvlink)
	if err != nil {
		t.Fatal(err)
	}
	job := nvidia.Job{Args: d.args, Collect: "*"}
	for name, data := range folder {
		job.Inputs = append(job.Inputs, nvidia.File{Name: name, Data: data})
	}
	res, err := tool.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return d.String() + "\t" + outcome(res.ExitCode, res.Files, string(res.Stdout), string(res.Stderr)), res.Files
}

func writeDrawn(t *testing.T, folders map[string]map[string][]byte, lines []drawn) {
	t.Helper()
	_, known := readDrawn(t)
	var b strings.Builder
	for n, d := range lines {
		fmt.Fprintf(&b, "%d\t%s\n", n, d.theirs(t, folders[d.release]))
		if why := known[strconv.Itoa(n)]; why != "" {
			fmt.Fprintf(&b, "%d\tknown: %s\n", n, why)
		}
	}
	if err := os.WriteFile("testdata/drawn.tsv", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
