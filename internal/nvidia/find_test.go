//go:build unix

package nvidia_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twinlink/twinlink/internal/nvidia"
)

// project makes a folder with go.mod and a .witness of the given releases.
func project(t *testing.T, versions ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		release := v[:strings.LastIndexByte(v, '.')]
		folder := filepath.Join(dir, ".witness", release)
		for _, name := range nvidia.Names {
			fake(t, folder, name, v, "exit 1")
		}
	}
	return dir
}

func mustFind(t *testing.T, opts nvidia.Options) *nvidia.Toolset {
	t.Helper()
	set, err := nvidia.Find(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func wantTool(t *testing.T, set *nvidia.Toolset, release, name, version string, origin nvidia.Origin) {
	t.Helper()
	tool, err := set.Tool(release, name)
	if err != nil {
		t.Errorf("%s %s: %v", name, release, err)
		return
	}
	if tool.Version.String() != version || tool.Origin != origin || !filepath.IsAbs(tool.Path) {
		t.Errorf("%s %q: got %v from %v at %s, want %s from %v",
			name, release, tool.Version, tool.Origin, tool.Path, version, origin)
	}
}

func TestOrderOfSearch(t *testing.T) {
	dir := project(t, "9.2.148", "11.8.89", "12.4.131")
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	// The name in the first line is what counts, not the file's.
	option := script(t, t.TempDir(), "linker", "cat <<'E'\nnvlink: NVIDIA (R) Cuda linker\nCuda compilation tools, release 12.4, V12.4.99\nE")
	variable := fake(t, t.TempDir(), "nvlink", "12.4.98", "")
	onPath := t.TempDir()
	fake(t, onPath, "nvlink", "13.0.88", "")
	fake(t, onPath, "cuobjdump", "13.2.51", "")
	env := []string{"PATH", "relative:" + t.TempDir() + ":" + onPath}

	set := mustFind(t, nvidia.Options{Dir: deep, Getenv: environ(env...)})
	if got, want := set.Releases(), []string{"9.2", "11.8", "12.4", "13.0"}; !slices.Equal(got, want) {
		t.Errorf("releases %v, want %v", got, want)
	}
	wantTool(t, set, "11.8", "nvlink", "11.8.89", nvidia.FromFolder)
	wantTool(t, set, "11.8.89", "nvdisasm", "11.8.89", nvidia.FromFolder)
	wantTool(t, set, "", "nvlink", "12.4.131", nvidia.FromFolder) // the newest there, before PATH
	wantTool(t, set, "13.0", "nvlink", "13.0.88", nvidia.FromPath)
	wantTool(t, set, "13.0", "cuobjdump", "13.2.51", nvidia.FromPath)    // newer reads older
	wantTool(t, set, "10.0", "cuobjdump", "12.4.131", nvidia.FromFolder) // …the folder's first

	set = mustFind(t, nvidia.Options{Dir: deep, Getenv: environ(append(env, "TWINLINK_NVLINK", variable)...)})
	wantTool(t, set, "12.4", "nvlink", "12.4.98", nvidia.FromEnvironment)
	wantTool(t, set, "", "nvlink", "12.4.98", nvidia.FromEnvironment)
	wantTool(t, set, "11.8", "nvlink", "11.8.89", nvidia.FromFolder)

	set = mustFind(t, nvidia.Options{Nvlink: option, Dir: deep, Getenv: environ(append(env, "TWINLINK_NVLINK", variable)...)})
	wantTool(t, set, "12.4", "nvlink", "12.4.99", nvidia.FromOption)
	wantTool(t, set, "12.4.131", "nvlink", "12.4.131", nvidia.FromFolder)

	var missing *nvidia.NotFoundError
	if _, err := set.Tool("10.2", "nvlink"); !errors.As(err, &missing) ||
		!strings.HasPrefix(err.Error(), "nvlink 10.2 is not installed; looked in ") {
		t.Errorf("got %v", err)
	}
	if _, err := set.Tool("13.0", "nvdisasm"); !errors.As(err, &missing) {
		t.Errorf("an older reader served: %v", err)
	}
	if _, err := set.Tool("nonsense", "nvlink"); !errors.As(err, &missing) {
		t.Errorf("got %v", err)
	}
}

func TestFolderFromVariable(t *testing.T) {
	dir := project(t, "12.4.131")
	set := mustFind(t, nvidia.Options{Dir: project(t, "11.8.89"), Getenv: environ("TWINLINK_WITNESS", filepath.Join(dir, ".witness"))})
	if got := set.Releases(); !slices.Equal(got, []string{"12.4"}) {
		t.Errorf("releases %v", got)
	}
	var unfit *nvidia.UnfitError
	for _, f := range []string{filepath.Join(dir, "nowhere"), filepath.Join(dir, "go.mod")} {
		if _, err := nvidia.Find(t.Context(), nvidia.Options{Getenv: environ("TWINLINK_WITNESS", f)}); !errors.As(err, &unfit) {
			t.Errorf("%s: got %v", f, err)
		}
	}
}

// The walk ends at the first go.mod: a .witness further up is another project's.
func TestWalkEndsAtModule(t *testing.T) {
	outer := project(t, "12.4.131")
	inner := filepath.Join(outer, "inner")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inner, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := mustFind(t, nvidia.Options{Dir: inner, Getenv: environ()}).Releases(); len(got) != 0 {
		t.Errorf("releases %v", got)
	}
}

// What does not serve is set aside with its reason and stops nothing.
func TestUnfitInFolder(t *testing.T) {
	dir := project(t, "12.4.131")
	folder := filepath.Join(dir, ".witness")
	fake(t, filepath.Join(folder, "11.8"), "nvlink", "12.4.131", "")
	script(t, filepath.Join(folder, "10.0"), "nvlink", "echo twinlink nvlink; echo 'Cuda compilation tools, release 10.0, V10.0.1'")
	script(t, filepath.Join(folder, "10.1"), "nvlink", "kill -SEGV $$")
	script(t, filepath.Join(folder, "10.2"), "nvlink", "echo 'nvlink: NVIDIA (R) Cuda linker'")
	if err := os.WriteFile(filepath.Join(folder, "10.2", "ptxas"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	fake(t, filepath.Join(folder, "full-13.0"), "nvlink", "13.0.88", "")
	set := mustFind(t, nvidia.Options{Dir: dir, Getenv: environ()})
	if got := set.Releases(); !slices.Equal(got, []string{"12.4"}) {
		t.Errorf("releases %v", got)
	}
	_, err := set.Tool("11.8", "nvlink")
	for _, want := range []string{
		"11.8/nvlink: is of release 12.4", "10.0/nvlink: --version is not that of NVIDIA's nvlink",
		"10.1/nvlink: --version: crashed", "10.2/nvlink: cannot parse --version output", "10.2/ptxas: not an executable file",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q missing in: %v", want, err)
		}
	}
	if len(set.Unfit()) != 5 {
		t.Errorf("%d unfit: %v", len(set.Unfit()), set.Unfit())
	}
}

// A path that somebody named must serve: another tool in its place would make
// the third opinion one that nobody asked for.
func TestDemandedMustServe(t *testing.T) {
	dir := project(t, "12.4.131")
	other := script(t, t.TempDir(), "nvlink", "echo hello")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{other, self, filepath.Join(dir, "nowhere"), dir} {
		var unfit *nvidia.UnfitError
		_, err := nvidia.Find(t.Context(), nvidia.Options{Nvlink: path, Dir: dir, Getenv: environ()})
		if !errors.As(err, &unfit) {
			t.Errorf("%s as option: %v", path, err)
		}
		_, err = nvidia.Find(t.Context(), nvidia.Options{Dir: dir, Getenv: environ("TWINLINK_NVLINK", path)})
		if !errors.As(err, &unfit) {
			t.Errorf("%s as variable: %v", path, err)
		}
	}
}

// A version is asked once for each state of a file.
func TestVersionIsCached(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	write := func(patch string) string {
		return script(t, dir, "nvlink", "echo >>"+log+"\necho 'nvlink: NVIDIA (R) Cuda linker'\necho 'Cuda compilation tools, release 12.4, V12.4."+patch+"'")
	}
	path := write("1")
	version := func() string {
		set := mustFind(t, nvidia.Options{Nvlink: path, Dir: dir, Getenv: environ()})
		return set.Tools()[0].Version.String()
	}
	for range 3 {
		if v := version(); v != "12.4.1" {
			t.Error(v)
		}
	}
	if b, _ := os.ReadFile(log); len(b) != 1 {
		t.Errorf("asked %d times", len(b))
	}
	write("2")
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if v := version(); v != "12.4.2" {
		t.Error(v)
	}
}

func TestFindCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := nvidia.Find(ctx, nvidia.Options{Dir: project(t, "12.4.131"), Getenv: environ()}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestFile(t *testing.T) {
	dir := project(t, "13.0.88")
	if err := os.WriteFile(filepath.Join(dir, ".witness", "13.0", "libcudadevrt.a"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	set := mustFind(t, nvidia.Options{Dir: dir, Getenv: environ()})
	if p, err := set.File("13.0", "libcudadevrt.a"); err != nil || !filepath.IsAbs(p) {
		t.Errorf("%s, %v", p, err)
	}
	for _, c := range [][2]string{{"12.4", "libcudadevrt.a"}, {"13.0", "../../go.mod"}, {"..", "go.mod"}} {
		if p, err := set.File(c[0], c[1]); err == nil {
			t.Errorf("%v: %s", c, p)
		}
	}
}
