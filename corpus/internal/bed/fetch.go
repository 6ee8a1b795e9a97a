package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fetchWheel downloads a Python package, NAME==VERSION, a wheel or a source
// distribution, and unpacks it below the cache. It returns the folder.
func (c *cache) fetchWheel(ctx context.Context, spec string) (string, error) {
	return c.unpacked("wheel "+spec, func(download, into string) error {
		python := "python3"
		if p := os.Getenv("PYTHON"); p != "" {
			python = p
		}
		if err := command(ctx, download, python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
			"--no-deps", "--no-build-isolation", "--no-cache-dir", "-d", ".", spec); err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(download, "*"))
		for _, f := range files {
			switch {
			case strings.HasSuffix(f, ".whl") || strings.HasSuffix(f, ".zip"):
				err = errors.Join(err, unzip(f, into))
			case strings.HasSuffix(f, ".tar.gz"):
				err = errors.Join(err, untar(f, into))
			}
		}
		return err
	})
}

// fetchPackage downloads a package of the distribution.
func (c *cache) fetchPackage(ctx context.Context, name string) (string, error) {
	return c.unpacked("package "+name, func(download, into string) error {
		if err := command(ctx, download, "apt-get", "-q", "download", name); err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(download, "*.deb"))
		for _, f := range files {
			err = errors.Join(err, command(ctx, download, "dpkg-deb", "-x", f, into))
		}
		return err
	})
}

// unpacked returns the folder kept under what is fetched, which fill fills once.
func (c *cache) unpacked(what string, fill func(download, into string) error) (string, error) {
	dir := filepath.Join(c.dir, "fetched", keyOf(what))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	work, err := os.MkdirTemp(c.dir, ".fetch")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	download, into := filepath.Join(work, "download"), filepath.Join(work, "into")
	for _, d := range []string{download, into, filepath.Dir(dir)} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return "", err
		}
	}
	if err := fill(download, into); err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return dir, os.Rename(into, dir)
}

func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, lastLine(string(text)))
	}
	return nil
}

// largestFile is what is unpacked of an archive at most, a file.
const largestFile = 4 << 30

func unzip(file, into string) error {
	z, err := zip.OpenReader(file)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		err = writeInto(into, f.Name, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func untar(file, into string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	g, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for t := tar.NewReader(g); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil && h.Typeflag == tar.TypeReg {
			err = writeInto(into, h.Name, t)
		}
		if err != nil {
			return err
		}
	}
}

// writeInto writes a file of an archive; a name that leads out is refused.
func writeInto(into, name string, r io.Reader) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%q: %w", name, fs.ErrInvalid)
	}
	path := filepath.Join(into, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.LimitReader(r, largestFile))
	return errors.Join(err, w.Close())
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
