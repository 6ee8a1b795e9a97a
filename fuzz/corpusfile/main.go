// Command corpusfile turns the files in which go keeps a fuzzer's corpus into raw ones and back.
//
//	corpusfile -export DIR FOLDER     each input of FOLDER as a raw file in DIR, named by its content
//	corpusfile -import DIR FOLDER     each raw file of FOLDER as one of go's in DIR
//
// libFuzzer, ClusterFuzz and OSS-Fuzz use raw files. An input that is there already is written once.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	export := flag.String("export", "", "folder for raw files")
	take := flag.String("import", "", "folder for files of go test")
	flag.Parse()
	if flag.NArg() != 1 || (*export == "") == (*take == "") {
		flag.Usage()
		os.Exit(2)
	}
	n, others, err := convert(flag.Arg(0), *export+*take, *export != "")
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpusfile:", err)
		os.Exit(1)
	}
	fmt.Printf("corpusfile: %d inputs in %s\n", n, *export+*take)
	if others > 0 {
		fmt.Printf("corpusfile: %d inputs are left out, for they are numbers: raw files have one []byte or string\n", others)
	}
}

// convert returns how many inputs it wrote, and how many it omitted.
func convert(from, to string, raw bool) (n, others int, err error) {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return 0, 0, err
	}
	err = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if raw {
			if data, err = decode(string(data)); errors.Is(err, errNumbers) {
				others++
				return nil
			} else if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		sum := sha256.Sum256(data)
		if !raw {
			data = []byte(fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", data))
		}
		n++
		return os.WriteFile(filepath.Join(to, hex.EncodeToString(sum[:8])), data, 0o644)
	})
	if os.IsNotExist(err) { // a target of which nothing was worth keeping
		err = nil
	}
	return n, others, err
}

// errNumbers is an input of a target that takes other things than bytes.
var errNumbers = errors.New("an input that is no []byte or string")

// decode reads a file of "go test" with one []byte or string.
func decode(text string) ([]byte, error) {
	head, rest, _ := strings.Cut(text, "\n")
	kind, inner, ok := strings.Cut(strings.TrimSpace(rest), "(")
	switch {
	case head != "go test fuzz v1" || !ok:
		return nil, fmt.Errorf("no corpus file of go test")
	case kind != "[]byte" && kind != "string":
		return nil, errNumbers
	}
	s, err := strconv.Unquote(strings.TrimSuffix(inner, ")"))
	return []byte(s), err
}
