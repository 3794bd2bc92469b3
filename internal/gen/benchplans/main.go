// Command benchplans writes docs/benchmarks.md from finished experiments: the plan
// of pgfettle against the server's defaults and against what calculators give for
// the same host, the exercises of courses, and configurations compared with
// themselves. make bench-plans runs the experiments and then this.
//
//	benchplans [-any] [-publish FOLDER] FOLDER
//
// FOLDER holds one directory an experiment with its result.json, or its document as NAME.json. The name says what it
// is:
//
//	LOAD,OTHER      A is the other configuration, B the plan: tpcb,pgtune
//	exercise,NAME   one of prove --experiment
//	aa,NAME         a configuration compared with itself
//
// -publish copies the documents, so that the page can be made from them again; what a
// person noted about them is notes.md beside them. The page goes to stdout.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

func main() {
	trial := flag.Bool("any", false,
		"take trials and unfinished experiments too, to see whether the comparison works; never for docs/benchmarks.md")
	publish := flag.String("publish", "", "copy the documents into this folder")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	list, err := read(flag.Arg(0))
	if err == nil && !*trial {
		err = decides(list)
	}
	var page, notes string
	if err == nil {
		notes, err = readNotes(cmp.Or(*publish, flag.Arg(0)))
	}
	if err == nil {
		page, err = markdown(list, notes)
	}
	if err == nil && *publish != "" {
		err = copyTo(*publish, list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchplans:", err)
		os.Exit(1)
	}
	fmt.Print(page)
}

// named is an experiment with the two parts of its name.
type named struct {
	load, other string
	document    []byte
	*experiment.Result
}

// read reads all experiments of a directory.
func read(dir string) ([]named, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*,*", "result.json"))
	if err != nil {
		return nil, err
	}
	documents, err := filepath.Glob(filepath.Join(dir, "*,*.json"))
	if err != nil {
		return nil, err
	}
	var out []named
	for _, f := range append(files, documents...) {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		r, err := experiment.DecodeResult(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		name := strings.TrimSuffix(f, ".json")
		if filepath.Base(f) == "result.json" {
			name = filepath.Dir(f)
		}
		load, other, _ := strings.Cut(filepath.Base(name), ",")
		out = append(out, named{load, other, b, r})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no experiments in %s", dir)
	}
	return out, nil
}

// readNotes reads a person's notes about the documents of a directory; "" if there are none.
func readNotes(dir string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, "notes.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(b), err
}

// copyTo puts the documents where the page is made from again, a run on a line.
func copyTo(dir string, list []named) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, e := range list {
		text, err := rows(e.document)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, e.load+","+e.other+".json"), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
