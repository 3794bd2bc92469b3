package evidence

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// endless gives a text, then one thing again and again, without holding it.
type endless struct {
	head  string
	again func(i int) string
	i     int
	rest  string
	given int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.rest, e.head = e.head, ""
	}
	if e.rest == "" {
		e.rest = e.again(e.i)
		e.i++
	}
	n := copy(p, e.rest)
	e.rest, e.given = e.rest[n:], e.given+int64(n)
	return n, nil
}

// allocated returns how many bytes were asked for, all together, to refuse what comes from r.
func allocated(t *testing.T, r io.Reader, want string) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := ParseFrom(r)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v; want «%s»", err, want)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// What is too large is refused in the memory of what was within the limits, and
// no more of it is read than that. All bytes ever asked for are counted, freed
// ones among them.
func TestMemoryOfRefusing(t *testing.T) {
	line := strings.Repeat("x", 1023) + "\n"
	mb, ex, hex, blanks := strings.Repeat(line, 1024), strings.Repeat("x", 4096), strings.Repeat(`\x00\\`, 1000),
		strings.Repeat(strings.Repeat(" ", 63)+"\n", 64)
	name := func(i int) string {
		return "-- entry/" + strings.Repeat("n", i%7) + string(rune('a'+i/7%26)) + string(rune('a'+i/182)) + " --\n"
	}
	for what, c := range map[string]struct {
		r    *endless
		want string
		most uint64
		read int64
	}{
		"many entries of 1 MB": {&endless{head: Format + "\n", again: func(i int) string {
			if i%2 == 0 {
				return name(i / 2)
			}
			return mb
		}}, "larger than 256 MB", MaxArchive + 16<<20, MaxArchive + 1},
		"one entry": {&endless{head: Format + "\n-- a --\n", again: func(int) string { return line }},
			"more than 32 MB", MaxEntry + 4<<20, MaxEntry + 1<<20},
		"one escaped entry": {&endless{head: Format + "\n-- a (escaped) --\n", again: func(int) string { return hex }},
			"more than 32 MB", MaxEntry + 24<<20, 4*MaxEntry + 1<<20},
		"one line": {&endless{head: Format + "\n-- a --\n", again: func(int) string { return ex }},
			"more than 32 MB", MaxEntry + 4<<20, MaxEntry + 1<<20},
		"a name without end": {&endless{head: Format + "\n-- ", again: func(int) string { return "n" }}, "has no end",
			1 << 20, 1 << 20},
		"blanks before": {&endless{head: Format + "\n", again: func(int) string { return blanks }},
			"larger than 256 MB", 1 << 20, MaxArchive + 1},
		"blanks after": {&endless{head: Format + "\n-- " + endName + " --\n", again: func(int) string {
			return blanks
		}}, "larger than 256 MB", 1 << 20, MaxArchive + 1},
		"what is missing": {&endless{head: Format + "\n-- " + missingName + " --\n", again: func(int) string {
			return blanks
		}}, "more than 64 MB", 70 << 20, 65 << 20},
		"nothing of ours": {&endless{head: "", again: func(int) string { return "\x00\x00\x00\x00" }},
			"does not name the format", 1 << 20, 1 << 20},
		"a long first line": {&endless{head: Format, again: func(int) string { return "!" }}, "is not",
			1 << 20, 1 << 20},
	} {
		got := allocated(t, c.r, c.want)
		t.Logf("%s: %d MB read, %d MB allocated", what, c.r.given>>20, got>>20)
		if got > c.most || c.r.given > c.read {
			t.Errorf("%s: %d bytes were read and %d allocated; want at most %d and %d", what, c.r.given, got,
				c.read, c.most)
		}
	}
}

// However the bytes come, the archive is the same, and the reader's own error is passed on unchanged.
func TestParseFromReaders(t *testing.T) {
	a := New()
	add(t, a, "long", strings.Repeat("y", 3*readSize)+"\n-- \n")
	add(t, a, "long/escaped", strings.Repeat("\\\x00\n", readSize))
	add(t, a, "exactly", strings.Repeat("z", readSize-1)+"\n")
	b := text(t, a)
	for what, r := range map[string]io.Reader{
		"whole": bytes.NewReader(b), "halves": iotest.HalfReader(bytes.NewReader(b)),
		"one by one":    iotest.OneByteReader(bytes.NewReader(b)),
		"data with EOF": iotest.DataErrReader(bytes.NewReader(b)),
	} {
		got, err := ParseFrom(r)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		same(t, a, got)
	}
	gone := errors.New("gone")
	if _, err := ParseFrom(io.MultiReader(bytes.NewReader(b[:len(b)/2]), iotest.ErrReader(gone))); !errors.Is(err,
		gone) {
		t.Errorf("the reader's error became %v", err)
	}
}
