package journal

import (
	"bytes"
	"errors"
	"fmt"
	"time"
)

// Bounds of what is read. A plan has some dozens of changes with a few lines
// each; the files in the states are configuration files of a few kB.
const (
	MaxBytes = 64 << 20
	maxLines = 100_000
)

// ErrTooLarge says that a journal has, or would have, more bytes or lines than are read.
var ErrTooLarge = errors.New("larger than its limit")

// Reading is a journal with the bytes that it was read from.
type Reading struct {
	*Journal
	Data  []byte
	Whole int   // bytes of the lines that are proven
	chain chain // at their end
}

// Writing is a journal that is being written: it numbers and seals its lines.
type Writing struct {
	*Journal // as the lines so far show it

	chain chain
	bytes int
}

// NewWriting is a journal without a line.
func NewWriting() Writing { return Writing{Journal: &Journal{}} }

// Writing goes on behind the lines that are proven.
func (r *Reading) Writing() Writing { return Writing{r.Journal, r.chain, r.Whole} }

// Take folds a line in and returns its bytes, which are to be written next. The
// error is ErrTooLarge, or that of a line which cannot follow the others.
func (w *Writing) Take(l Line) ([]byte, error) {
	b, next, err := w.chain.seal(l)
	if err != nil {
		return nil, err
	}
	if w.bytes+len(b) > MaxBytes || w.chain.n == maxLines {
		return nil, ErrTooLarge
	}
	if err := w.step(&l); err != nil {
		return nil, err
	}
	w.chain, w.bytes = next, w.bytes+len(b)
	return b, nil
}

// NewID makes the id of a journal: the time to the second, so that ids sort by
// age, and a suffix of lower-case letters and digits that the caller draws.
func NewID(now time.Time, suffix string) string {
	return now.UTC().Format(idTime) + "-" + suffix
}

const idTime = "20060102-150405"

// TimeOf returns the time in an id.
func TimeOf(id string) (time.Time, bool) {
	if len(id) < len(idTime) {
		return time.Time{}, false
	}
	t, err := time.Parse(idTime, id[:len(idTime)])
	return t, err == nil
}

// ValidID holds ids to what can be a file's name and nothing else.
func ValidID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// ParseAs is Parse of what was found under an id. Of a journal that says it is
// another nothing is believed.
func ParseAs(id string, data []byte) (*Reading, error) {
	r, err := parse(data)
	if err != nil {
		return nil, err
	}
	if r.ID != id {
		if r.ID != "" { // of a copy nothing is believed: the journal that it is of is there too, or was
			d := &Damage{Line: 1, Reason: "it says that it is " + r.ID, Unknown: unproven(data, nil)}
			r = &Reading{Journal: &Journal{Changes: []Change{}, Damage: d}, Data: data}
		}
		r.ID = id
		if at, ok := TimeOf(id); ok {
			r.Started = at.Format(time.RFC3339)
		}
		r.sumUp()
	}
	return r, nil
}

// Parse reads the lines of a journal, as far as they are proven; whole is how many bytes those are. A last line that a
// crash cut off is skipped: its append had not returned, so its step was not begun. Anything else that is wrong is
// Damage of the journal, and names the line. The error is that of a file which is no journal for its size.
func Parse(data []byte) (j *Journal, whole int, err error) {
	r, err := parse(data)
	if err != nil {
		return nil, 0, err
	}
	return r.Journal, r.Whole, nil
}

func parse(data []byte) (*Reading, error) {
	if len(data) > MaxBytes {
		return nil, ErrTooLarge
	}
	j := &Journal{Changes: []Change{}}
	r := &Reading{Journal: j, Data: data}
	if j.Foreign = foreign(data); j.Foreign != "" {
		j.sumUp()
		return r, nil
	}
	var bad error
	for r.Whole < len(data) {
		if r.chain.n == maxLines {
			bad = fmt.Errorf("more than %d lines", maxLines)
			break
		}
		end := bytes.IndexByte(data[r.Whole:], '\n')
		if end < 0 {
			break
		}
		text := data[r.Whole : r.Whole+end]
		last := r.Whole+end+1 == len(data)
		l, next, err := r.chain.open(text)
		// A filesystem may show blocks that a crash kept from the disk as zeros.
		if err != nil && last && bytes.IndexByte(text, 0) >= 0 {
			break
		}
		if err == nil {
			err = j.step(l)
		}
		if err != nil {
			bad = err
			break
		}
		r.chain = next
		r.Whole += end + 1
	}
	// The first lines come to the disk together: no crash cuts them.
	switch n := len(j.Changes); {
	case bad == nil && j.ID == "":
		bad = errors.New("no begin line")
	case bad == nil && n < j.Run.Changes && j.Damage == nil:
		bad = fmt.Errorf("it has %d of the %d changes that were planned", n, j.Run.Changes)
	}
	if bad != nil {
		d := &Damage{Line: r.chain.n + 1, Reason: bad.Error(), Unknown: unproven(data[r.Whole:], j.Changes)}
		if len(j.Changes) < j.Run.Changes {
			d.Planned = j.Run.Changes
		}
		d.join(j.Damage)
		j.Damage, j.recorded = d, false
		j.sumUp()
	}
	return r, nil
}
