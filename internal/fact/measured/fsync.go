package measured

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Fsync is what pg_test_fsync said: how often a second a write reaches the disk
// by each method that wal_sync_method offers.
type Fsync struct {
	Seconds     int    `json:"seconds"`                // of each test; 0 where it was not told
	Operations  int64  `json:"operations,omitempty"`   // of each test, before 9.2
	DirectIO    bool   `json:"direct_io"`              // the open_… methods pass the page cache by
	NoDirectIO  bool   `json:"no_direct_io,omitempty"` // some method wanted it, and this filesystem refused (n/a*)
	One         []Rate `json:"one"`                    // one 8 kB write, then the flush
	Two         []Rate `json:"two"`                    // two of them
	Sizes       []Rate `json:"sizes,omitempty"`        // 16 kB by open_sync, in pieces
	Descriptors []Rate `json:"descriptors,omitempty"`  // whether a flush through another descriptor counts
	Plain       *Rate  `json:"plain,omitempty"`        // the same write without a flush: the page cache, no disk
}

// Rate is one line of it.
type Rate struct {
	Name      string  `json:"name"`
	PerSecond float64 `json:"per_second"`        // operations; 0 where Missing
	Missing   bool    `json:"missing,omitempty"` // n/a: this system does not have it
}

// Rate returns what a method reached with one write and with two; ok is false
// where either was not measured.
func (f *Fsync) Rate(method string) (one, two float64, ok bool) {
	a, ok1 := rateOf(f.One, method)
	b, ok2 := rateOf(f.Two, method)
	return a, b, ok1 && ok2
}

func rateOf(list []Rate, name string) (float64, bool) {
	for _, r := range list {
		if r.Name == name && !r.Missing && r.PerSecond > 0 {
			return r.PerSecond, true
		}
	}
	return 0, false
}

// maxFsyncOps bounds the lines of a section; the largest has five.
const maxFsyncOps = 32

// mostPerSecond bounds every rate: no program makes a thousand million system
// calls a second, so a text that says more is none of these.
const mostPerSecond = 1e9

var (
	fsyncOp      = regex.New(`^\s*(\S.*?)\s+([0-9]+(?:[.,][0-9]+)?) ops/sec(?:\s+[0-9]+ usecs/op)?\s*$`)
	fsyncNone    = regex.New(`^\s*(\S.*?)\s+n/a(\*?)\s*$`)
	fsyncSeconds = regex.New(`^\s*([0-9]{1,6}) seconds? per test\s*$`)
)

// ParseFsync reads the output of pg_test_fsync, of 9.1 to 18 and of Windows. A
// text without a section of methods is an error; lines of other programs around
// it are passed over, as people paste them.
func ParseFsync(b []byte) (*Fsync, error) {
	f := &Fsync{One: []Rate{}, Two: []Rate{}}
	var at *[]Rate
	var plain []Rate
	err := eachLine(b, func(line string) error {
		low := strings.ToLower(line)
		switch {
		case strings.HasPrefix(low, "compare file sync methods using one"):
			at = &f.One
		case strings.HasPrefix(low, "compare file sync methods using two"):
			at = &f.Two
		case strings.HasPrefix(low, "compare open_sync with different"):
			at = &f.Sizes
		case strings.HasPrefix(low, "test if fsync on non-write"):
			at = &f.Descriptors
		case strings.HasPrefix(low, "non-sync'ed"):
			at = &plain
		case strings.HasPrefix(low, "o_direct supported"), strings.HasPrefix(low, "f_nocache supported"):
			f.DirectIO = true
		}
		if m := fsyncSeconds.FindStringSubmatch(line); m != nil && at == nil {
			f.Seconds = int(number(m[1]))
		}
		r := Rate{}
		if m := fsyncOp.FindStringSubmatch(line); m != nil {
			r = Rate{Name: plainly(m[1]), PerSecond: number(strings.Replace(m[2], ",", ".", 1))}
			if r.PerSecond > mostPerSecond {
				return fmt.Errorf("%s: more than any disk or cache can do", r.Name)
			}
		} else if m := fsyncNone.FindStringSubmatch(line); m != nil {
			r = Rate{Name: plainly(m[1]), Missing: true}
			f.NoDirectIO = f.NoDirectIO || m[2] != ""
		}
		if r.Name == "" || at == nil {
			return nil
		}
		if len(*at) == maxFsyncOps {
			return fmt.Errorf("more than %d lines in a section", maxFsyncOps)
		}
		*at = append(*at, r)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(f.One) == 0:
		return nil, errors.New("no method is measured in it: not an output of pg_test_fsync")
	}
	if len(plain) > 0 {
		f.Plain = &plain[0]
	}
	return f, nil
}
