// Command benchplans writes docs/benchmarks.md from finished experiments: the plan
// of pgfettle against the server's defaults and against what calculators give for
// the same host. make bench-plans runs the experiments and then this.
//
//	benchplans [-any] FOLDER
//
// FOLDER holds one folder an experiment, named LOAD,OTHER: tpcb,pgtune. Arm A is
// the other configuration, arm B the plan. The page goes to stdout.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/result"
)

func main() {
	trial := flag.Bool("any", false, "take short experiments too, to see whether the comparison works; never for docs/benchmarks.md")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	list, err := read(flag.Arg(0))
	if err == nil && !*trial {
		err = decides(list)
	}
	var page string
	if err == nil {
		page, err = markdown(list)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchplans:", err)
		os.Exit(1)
	}
	fmt.Print(page)
}

// named is an experiment with the two parts of its folder's name.
type named struct {
	load, other string
	*result.Result
}

// read reads all experiments below a folder.
func read(dir string) ([]named, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*,*", "result.json"))
	if err != nil {
		return nil, err
	}
	var out []named
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		r, err := result.Decode(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		load, other, _ := strings.Cut(filepath.Base(filepath.Dir(f)), ",")
		out = append(out, named{load, other, r})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no experiments in %s", dir)
	}
	return out, nil
}
