package report_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/twinlink/twinlink/report"
)

var chromium = sync.OnceValues(func() (context.Context, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute))
			ctx, _ := chromedp.NewExecAllocator(context.Background(), opts...)
			ctx, stopBrowser = chromedp.NewContext(ctx)
			return ctx, chromedp.Run(ctx)
		}
	}
	return nil, exec.ErrNotFound
})

var stopBrowser = func() {}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	stopBrowser()
	os.Exit(code)
}

// browser opens a tab of the headless Chromium that all tests share, or skips
// the test loudly.
func browser(t *testing.T) context.Context {
	t.Helper()
	shared, err := chromium()
	if err != nil {
		if os.Getenv("TWINLINK_REQUIRE_BROWSER") != "" {
			t.Fatalf("TWINLINK_REQUIRE_BROWSER is set, and Chromium doesn't start: %v", err)
		}
		fmt.Fprintf(os.Stderr, "report: the page is not tested, Chromium doesn't start: %v\n", err)
		t.Skip("no Chromium")
	}
	ctx, cancel := context.WithTimeout(shared, 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// open loads the page of a report and collects what the console complains of.
func open(t *testing.T, ctx context.Context, r *report.Report, do ...chromedp.Action) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, face(t, r, report.HTML), 0o644); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var complaints []string
	chromedp.ListenTarget(ctx, func(e any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			complaints = append(complaints, e.Entry.Text)
		case *runtime.EventConsoleAPICalled:
			complaints = append(complaints, "console."+e.Type.String())
		}
	})
	address := url.URL{Scheme: "file", Path: file}
	all := append([]chromedp.Action{log.Enable(), chromedp.Navigate(address.String())}, do...)
	if err := chromedp.Run(ctx, all...); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(complaints) > 0 {
		t.Errorf("the console says %q", complaints)
	}
}

// shot keeps a picture where TWINLINK_SCREENSHOTS names a folder.
func shot(name string, width, height int64, dark bool) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		folder := os.Getenv("TWINLINK_SCREENSHOTS")
		if folder == "" {
			return nil
		}
		scheme := "light"
		if dark {
			scheme = "dark"
		}
		var picture []byte
		if err := chromedp.Run(ctx,
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
			chromedp.EmulateViewport(width, height),
			chromedp.CaptureScreenshot(&picture)); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644)
	})
}

// TestPage opens the page of every kind of run.
func TestPage(t *testing.T) {
	ctx := browser(t)
	for name, r := range map[string]*report.Report{
		"passing":   {Rows: []report.Row{{Subject: "a", Verdict: report.Agree}}},
		"diverging": sample(),
		"refused":   {Rows: []report.Row{{Subject: "a", Verdict: report.Refusal, Note: "not an ELF file"}}},
		"unjudged":  {Rows: []report.Row{{Subject: "a", Verdict: report.NotJudged, Unjudged: []report.Unjudged{{Name: "f", Reason: "form unknown"}}}}},
		"full":      full(),
	} {
		t.Run(name, func(t *testing.T) {
			var text string
			open(t, ctx, r, chromedp.Text("body", &text), shot(name+"-desktop-light", 1280, 900, false), shot(name+"-phone-dark", 390, 844, true))
			for i := range r.Rows {
				if r.Rows[i].Subject[0] >= 'a' && r.Rows[i].Subject != "evil\x1b[2J\nname \u202e" && !strings.Contains(text, r.Rows[i].Subject) {
					t.Errorf("no %q on the page", r.Rows[i].Subject)
				}
			}
		})
	}
}

// TestPageFilters presses a verdict's button and searches.
func TestPageFilters(t *testing.T) {
	ctx := browser(t)
	var before, pressed, searched int
	open(t, ctx, sample(),
		chromedp.Evaluate(`document.querySelectorAll('#rows details').length`, &before),
		chromedp.Click(`button[aria-pressed=true]`, chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelectorAll('#rows details').length`, &pressed),
		chromedp.SendKeys(`input[type=search]`, "cluster", chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelectorAll('#rows details').length`, &searched))
	if before != 7 || pressed != 6 || searched != 1 {
		t.Errorf("%d rows, %d without those that agree, %d by name; want 7, 6, 1", before, pressed, searched)
	}
}

// TestPageMarksBits: the bits in which two words differ are marked.
func TestPageMarksBits(t *testing.T) {
	ctx := browser(t)
	r := &report.Report{Rows: sample().Rows[1:2]}
	var marked string
	open(t, ctx, r, chromedp.Evaluate(`[...document.querySelectorAll('.bits b')].map(b => b.textContent.trim()).join('|')`, &marked))
	// before 0x00, engine 0x40, nvlink 0x44 in byte 4.
	if marked != "1|1|1" {
		t.Errorf("marked %q, want one bit of the engine's word and two of nvlink's", marked)
	}
}

// TestPageByKeyboard reaches everything that can be pressed with Tab alone.
func TestPageByKeyboard(t *testing.T) {
	ctx := browser(t)
	var want, got int
	open(t, ctx, full(),
		chromedp.Evaluate(`document.querySelectorAll('details').forEach(d => d.open = true)`, nil),
		chromedp.Sleep(200*time.Millisecond),
		chromedp.Evaluate(`[...document.querySelectorAll('button, input, summary, a[href], [tabindex="0"]')].filter(e => e.checkVisibility()).length`, &want),
		chromedp.Evaluate(`window.reached = new Set(); document.addEventListener('focusin', e => reached.add(e.target)); document.activeElement.blur()`, nil),
		chromedp.ActionFunc(func(ctx context.Context) error {
			for range 100 {
				if err := chromedp.KeyEvent("\t").Do(ctx); err != nil {
					return err
				}
			}
			return nil
		}),
		chromedp.Evaluate(`reached.size`, &got))
	if want < 10 || got < want {
		t.Errorf("Tab reaches %d of %d", got, want)
	}
}

// TestPageIsNoInjection: a name that looks like HTML stays a name.
func TestPageIsNoInjection(t *testing.T) {
	ctx := browser(t)
	const evil = `</script><script>window.owned=1</script><img src=x onerror="window.owned=1">|` + "`\n\xff"
	r := &report.Report{Title: evil, Rows: []report.Row{{Subject: evil, Note: evil, Verdict: report.Differ,
		Findings: []report.Finding{{Key: evil, Level: report.Wrong, Symbol: evil, Meaning: evil}}, Link: &report.Link{Calls: []report.Call{{Name: evil}}}}}}
	var owned bool
	open(t, ctx, r, chromedp.Evaluate(`window.owned === 1 || document.images.length > 0`, &owned))
	if owned {
		t.Error("a name became part of the page")
	}
}

// TestPageStaysUsable opens all types and a link of 16,384 functions, and
// wants an answer to a search in time.
func TestPageStaysUsable(t *testing.T) {
	ctx := browser(t)
	r := &report.Report{Rows: []report.Row{{Subject: "big", Verdict: report.Agree, Link: &report.Link{}}}}
	for i := range 181 {
		r.Relocations = append(r.Relocations, report.RelocationType{Number: uint32(i), Name: fmt.Sprintf("R_CUDA_%d", i), Bits: 128, Fields: []report.Field{{First: i % 96, Width: 32, Role: "value"}},
			Results: []report.Score{{Source: "engine", Same: 9, Total: 10}, {Source: "oracle", Same: 10, Total: 10}}})
	}
	space := report.Space{Name: "global", Size: 16384 * 64}
	for i := range 16384 {
		r.Rows[0].Link.Calls = append(r.Rows[0].Link.Calls, report.Call{Name: fmt.Sprintf("f%d", i), Stack: uint64(16384-i) * 8, Frame: 8, Calls: []string{fmt.Sprintf("f%d", i+1)}})
		space.Parts = append(space.Parts, report.Piece{Name: fmt.Sprintf("v%d", i), Offset: uint64(i) * 64, Size: 48})
	}
	r.Rows[0].Link.Spaces = []report.Space{space}
	var rows int
	var spent float64
	open(t, ctx, r,
		shot("big-desktop-dark", 1280, 900, true),
		chromedp.Evaluate(`document.querySelectorAll('tr').length`, &rows),
		chromedp.Evaluate(`(() => { const i = document.querySelector('[aria-label="Search functions"]'); const t = performance.now(); i.value = 'f16000'; i.dispatchEvent(new Event('input')); return performance.now() - t; })()`, &spent))
	if rows > 1000 {
		t.Errorf("%d rows of tables at once", rows)
	}
	if spent > 2000 {
		t.Errorf("a search takes %.0f ms", spent)
	}
}
