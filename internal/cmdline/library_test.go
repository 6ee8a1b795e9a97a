package cmdline

import (
	"strings"
	"testing"
)

// A size of an archive's member is what C's strtol reads of it, 0 where that is no number.
func TestLeadingNumber(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, "12": 12, " \t\n\v\f\r12x": 12, "-5": -5, "+7": 7, "--5": 0, "-": 0, "x1": 0, "1-2": 1, "007": 7, "9223372036854775807": 1<<63 - 1, "9223372036854775808": 0, "1 2": 1, "/": 0, ":": 0, "09:": 9,
	} {
		if got := leadingNumber([]byte(text)); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

// What -l found and is no archive, at each limit of its first member; texts by nvlink 11.8.89 to 13.5.37.
func TestNoLibraryLimits(t *testing.T) {
	const magic = "12345678" // eight bytes that aren't an archive's
	header := func(name, size string, behind int) string {
		b := name + strings.Repeat(" ", 16-len(name)) + strings.Repeat(" ", 32)
		return magic + b + size + strings.Repeat(" ", 10-len(size)) + "`\n" + strings.Repeat("x", behind)
	}
	for _, c := range []struct {
		release, data, want string
	}{
		{"13.5", "!<arch>\nx", ""}, {"13.5", "!<thin>\nx", ""}, {"13.5", "!<thin>xy", "unexpected archive format"},
		{"13.5", magic, ""}, {"11.8", magic, ""},
		{"13.5", magic + "x", "unexpected archive format"}, {"13.0", magic + "x", "unexpected archive format"}, {"12.4", magic + "x", "Memory allocation failure"},
		{"13.0", magic + "a/", ""}, {"12.4", magic + "a/", ""}, {"12.4", magic + "a\x00/", "Memory allocation failure"}, {"13.3", magic + "/", ""},
		{"13.4", header("a/", "3", 3), ""}, {"13.4", header("a/", "4", 3), "archive member size exceeds library bounds"}, {"13.4", header("a/", "-1", 3), "archive member size exceeds library bounds"},
		{"13.4", header("a/", "0", 0), ""}, {"13.4", header("a", "0", 0), "unexpected archive format"}, {"13.4", header("a/", "0", 0)[:67], "unexpected archive format"},
		{"13.4", header("0123456789abcde/", "0", 0), ""}, {"13.4", header("0123456789abcdef", "/", 0), "unexpected archive format"},
	} {
		r, ok := ParseRelease(c.release)
		if !ok {
			t.Fatal(c.release)
		}
		j := NoLibrary(r, "lib", []byte(c.data))
		switch {
		case c.want == "":
			if len(j.Messages) != 0 {
				t.Errorf("%s, %q: %v", c.release, c.data, j.Messages)
			}
		case len(j.Messages) != 2 || j.Messages[0].Text != c.want && !strings.Contains(j.Messages[0].Text, c.want) || j.Messages[1].Text != "elfLink internal error" || j.Messages[1].File != "lib":
			t.Errorf("%s, %q: %+v, want %s", c.release, c.data, j.Messages, c.want)
		}
	}
	for data, want := range map[string]bool{"!<arch>\n": true, "!<thin>\n": true, "!<arch>": false, "!<arch> ": false, "": false} {
		if got := isArchive([]byte(data)); got != want {
			t.Errorf("%q: %v", data, got)
		}
	}
}
