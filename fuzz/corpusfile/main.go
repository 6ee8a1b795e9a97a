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
	n, err := convert(flag.Arg(0), *export+*take, *export != "")
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpusfile:", err)
		os.Exit(1)
	}
	fmt.Printf("corpusfile: %d inputs in %s\n", n, *export+*take)
}

func convert(from, to string, raw bool) (int, error) {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return 0, err
	}
	n := 0
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if raw {
			if data, err = decode(string(data)); err != nil {
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
	return n, err
}

// decode reads a file of "go test" with one []byte.
func decode(text string) ([]byte, error) {
	head, rest, _ := strings.Cut(text, "\n")
	inner, ok := strings.CutPrefix(strings.TrimSpace(rest), "[]byte(")
	if head != "go test fuzz v1" || !ok {
		return nil, fmt.Errorf("no corpus file with one []byte")
	}
	s, err := strconv.Unquote(strings.TrimSuffix(inner, ")"))
	return []byte(s), err
}
