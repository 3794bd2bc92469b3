// Command registry writes registry_gen.go, the list of a package's judgements. It is run by go generate in the
// package's directory:
//
//	go run ../../gen/registry -type rule.Rule -key Address
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/gen/literals"
)

func main() {
	typeName := flag.String("type", "",
		"the type of the literals: check.Check for those of the folders below, Check for those of this one")
	key := flag.String("key", "", "the field that they are sorted by: ID or Address")
	dir := flag.String("dir", ".", "the folder of the package")
	flag.Parse()
	if err := run(*dir, *typeName, *key); err != nil {
		fmt.Fprintln(os.Stderr, "registry:", err)
		os.Exit(1)
	}
}

func run(dir, typeName, key string) error {
	if typeName == "" || key == "" {
		return fmt.Errorf("both -type and -key are needed")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	path, err := exec.Command("go", "list", "-C", abs, "-e", ".").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	out, err := literals.Render(os.DirFS(abs), literals.Package{Path: strings.TrimSpace(string(path)), Type: typeName,
		Key: key})
	if err != nil {
		return err
	}
	// A separate file that is renamed: a concurrent build sees the old list or the new one, never half of it.
	tmp, err := os.CreateTemp(abs, ".registry-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(out); err != nil {
		return err
	}
	if err := tmp.Chmod(0o644); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), filepath.Join(abs, literals.File))
}
