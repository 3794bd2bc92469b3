package evidence

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// text returns the text form.
func text(t testing.TB, a *Archive) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := a.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo: %d of %d bytes, %v", n, b.Len(), err)
	}
	return b.Bytes()
}

func add(t testing.TB, a *Archive, name, data string) {
	t.Helper()
	if err := a.Add(name, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// same compares two archives, files and reasons.
func same(t testing.TB, want, got *Archive) {
	t.Helper()
	if d := cmp.Diff(want.Names(), got.Names()); d != "" {
		t.Errorf("names: -want +got\n%s", d)
	}
	for _, n := range want.Names() {
		w, _ := want.ReadFile(n)
		g, _ := got.ReadFile(n)
		if !bytes.Equal(w, g) {
			t.Errorf("%s: %q became %q", n, w, g)
		}
	}
	if d := cmp.Diff(want.MissingFiles(), got.MissingFiles()); d != "" {
		t.Errorf("missing: -want +got\n%s", d)
	}
}

func TestRoundTrip(t *testing.T) {
	a := New()
	for name, data := range map[string]string{
		"proc/meminfo":      "MemTotal:       24684092 kB\n",
		"proc/1/cmdline":    "postgres\x00-D\x00/data\x00",
		"no/newline":        "text",
		"empty":             "",
		"newline":           "\n",
		"backslash":         "\\",
		"backslashes":       "\\\\\n\\x41\\\n",
		"marker/first":      "-- x --\n",
		"marker/later":      "a\n-- end of evidence --\n",
		"marker/other":      "--\n- -\n",
		"cr":                "a\r\nb\r",
		"broken utf8":       "\xff\xfe\xe2\x82",
		"utf8":              "кластер «main»\n",
		"tab":               "a\tb\n",
		"odd name -- x":     "1\n",
		"name (escaped)":    "2\n",
		" blanks around ":   "3\n",
		"missing.jsonl/sub": "4\n",
		"format":            Format + "\n",
	} {
		add(t, a, name, data)
	}
	a.AddMissing(Missing{Name: "proc/1/environ", State: known.Forbidden, Reason: "permission denied",
		Reveal: "run pgfettle as root"})
	a.AddMissing(Missing{Name: "proc/pressure/io", State: known.Absent, Reason: "no \"such\"\nfile"})
	a.AddMissing(Missing{Name: "pg/1/wal.json", State: known.Unread, Reason: "timeout", Cause: "57014"})
	first := text(t, a)
	b, err := Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	same(t, a, b)
	if again := text(t, b); !bytes.Equal(first, again) {
		t.Error("the text form of what was read is another")
	}
}

// The text form is a contract with files that people keep.
func TestTextForm(t *testing.T) {
	a := New()
	add(t, a, "proc/swaps", "Filename\n")
	add(t, a, "proc/9/cmdline", "a\x00b")
	a.AddMissing(Missing{Name: "proc/1/environ", State: known.Forbidden, Reason: "permission denied"})
	want := Format + `
-- missing.jsonl --
{"name":"proc/1/environ","state":"forbidden","reason":"permission denied"}
-- proc/9/cmdline (escaped) --
a\x00b\
-- proc/swaps --
Filename
-- end of evidence --
`
	if d := cmp.Diff(want, string(text(t, a))); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestHostile(t *testing.T) {
	head := Format + "\n"
	tail := "-- end of evidence --\n"
	for name, c := range map[string]struct{ in, want string }{
		"another program":    {"hello\n", "does not name the format"},
		"empty":              {"", "does not name the format"},
		"a later version":    {"pgfettle evidence 2\n" + tail, "is not"},
		"format line alone":  {Format, "is not"},
		"out of the archive": {head + "-- ../../etc/passwd --\nx\n" + tail, "not a usable name"},
		"dots within":        {head + "-- proc/../x --\nx\n" + tail, "not a usable name"},
		"absolute":           {head + "-- /etc/passwd --\nx\n" + tail, "not a usable name"},
		"the root":           {head + "-- . --\nx\n" + tail, "not a usable name"},
		"a trailing slash":   {head + "-- proc/ --\nx\n" + tail, "not a usable name"},
		"no UTF-8":           {head + "-- pro\xff --\nx\n" + tail, "not a usable name"},
		"a name of 1025 bytes": {head + "-- " + strings.Repeat("n", MaxName+1) + " --\nx\n" + tail,
			"not a usable name"},
		"twice":               {head + "-- a --\nx\n-- a --\ny\n" + tail, "appears twice"},
		"twice, once escaped": {head + "-- a --\nx\n-- a (escaped) --\ny\n" + tail, "appears twice"},
		"no end":              {head + "-- a --\nx\n", "cut off"},
		"cut in the end":      {head + "-- a --\nx\n-- end of evid", "cut off"},
		"text before":         {head + "x\n-- a --\n" + tail, "before the first entry"},
		"text after":          {head + "-- a --\nx\n" + tail + "more\n", "after the end"},
		"an entry after":      {head + "-- a --\nx\n" + tail + "-- b --\ny\n" + tail, "after the end"},
		"a bad escape":        {head + "-- a (escaped) --\n\\q\n" + tail, "a: bad escape"},
		"a cut escape":        {head + "-- a (escaped) --\n\\x4\n" + tail, "a: bad escape"},
		"a bad missing line":  {head + "-- missing.jsonl --\nnot json\n" + tail, "missing.jsonl, line 1"},
	} {
		_, err := Parse([]byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want «%s»", name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than one line: %q", name, err)
		}
	}
}

func TestLimits(t *testing.T) {
	a := New()
	if err := a.Add("big", make([]byte, MaxEntry+1)); err == nil {
		t.Error("an entry over the limit was taken")
	}
	if err := a.Add("big", make([]byte, MaxEntry)); err != nil {
		t.Error(err)
	}
	for _, n := range []string{"", ".", "/a", "a/", "a//b", "../a", "a/../b", "a\nb", "a\rb", missingName, endName,
		strings.Repeat("n", MaxName+1)} {
		if err := a.Add(n, nil); err == nil {
			t.Errorf("%q was taken as a name", n)
		}
	}
	var many bytes.Buffer
	many.WriteString(Format + "\n")
	for i := range MaxEntries + 1 {
		many.WriteString("-- " + strconv.Itoa(i) + " --\n")
	}
	many.WriteString("-- " + endName + " --\n")
	if _, err := Parse(many.Bytes()); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too many entries: %v", err)
	}
}

// A hostile list of missing files names nothing outside either.
func TestMissingNames(t *testing.T) {
	a, err := Parse([]byte(Format +
		"\n-- missing.jsonl " +
		"--\n{\"name\":\"../x\",\"state\":\"absent\",\"reason\":\"r\"}\n" +
		"{\"name\":\"a\",\"state\":\"present\",\"reason\":\"r\"}\n-- end of evidence --\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Missing{{Name: "a", State: known.Unread, Reason: "r"}} // no state that could pass for a fact
	if d := cmp.Diff(want, a.MissingFiles()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestFS(t *testing.T) {
	a := New()
	add(t, a, "proc/meminfo", "1\n")
	add(t, a, "proc/1/comm", "systemd\n")
	add(t, a, "sys/block/vda/queue/scheduler", "[none]\n")
	if err := fstest.TestFS(a, "proc/meminfo", "proc/1/comm", "sys/block/vda/queue/scheduler"); err != nil {
		t.Error(err)
	}
}

func TestGapOf(t *testing.T) {
	a := New()
	a.AddMissing(Missing{Name: "f", State: known.Forbidden, Reason: "permission denied for view",
		Reveal: "GRANT pg_monitor TO me"})
	_, forbidden := a.ReadFile("f")
	_, absent := a.ReadFile("g")
	_, folder := fs.ReadDir(a, "nowhere")
	for name, c := range map[string]struct {
		err   error
		state known.State
		gap   known.Gap
	}{
		"noted": {forbidden, known.Forbidden, known.Gap{Fact: "x", Reason: "permission denied for view",
			Reveal: "GRANT pg_monitor TO me"}},
		"not there": {absent, known.Absent, known.Gap{Fact: "x", Reason: "no such file"}},
		"folder":    {folder, known.Absent, known.Gap{Fact: "x", Reason: "no such file"}},
		"of the system": {&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, known.Absent,
			known.Gap{Fact: "x", Reason: "no such file"}},
		"refused": {&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, known.Forbidden,
			known.Gap{Fact: "x", Reason: "permission denied", Reveal: "run pgfettle as root"}},
		"something else": {errors.New("input/output error"), known.Unread,
			known.Gap{Fact: "x", Reason: "input/output error"}},
	} {
		state, gap := GapOf("x", c.err)
		if state != c.state || gap != c.gap {
			t.Errorf("%s: %s, %+v", name, state, gap)
		}
	}
	if !errors.Is(forbidden, fs.ErrPermission) || errors.Is(forbidden, fs.ErrNotExist) ||
		!errors.Is(absent, fs.ErrNotExist) {
		t.Error("the errors of io/fs do not tell the states apart")
	}
}

func TestRead(t *testing.T) {
	a := New()
	add(t, a, "good", "7")
	add(t, a, "bad", "seven")
	parse := func(b []byte) (int, error) {
		if string(b) != "7" {
			return 7, errors.New("not seven")
		}
		return 7, nil
	}
	if v, ok := Read(a, "good", parse).Get(); !ok || v != 7 {
		t.Error("a good file is no fact")
	}
	f := Read(a, "bad", parse)
	if v, ok := f.Get(); ok || v != 0 || f.State() != known.Unread ||
		f.Gap() != (known.Gap{Fact: "bad", Reason: "malformed: not seven"}) {
		t.Errorf("a malformed file: %v %+v", f.State(), f.Gap())
	}
	if f := Read(a, "none", parse); f.State() != known.Absent {
		t.Errorf("a file that is not there: %v", f.State())
	}
}

// Whatever bytes are put in come out again.
func FuzzRoundTrip(f *testing.F) {
	f.Add("proc/meminfo", []byte("MemTotal: 1 kB\n"), "reason")
	f.Add("a (escaped)", []byte("-- x --\n\\x00\x00\xff"), "r\n-- end of evidence --\n")
	f.Add("-- a", []byte("\n-- end of evidence --"), "")
	f.Fuzz(func(t *testing.T, name string, data []byte, reason string) {
		a := New()
		add(t, a, "always", "there\n")
		if a.Add(name, data) != nil {
			return
		}
		if strings.ToValidUTF8(reason, "?") == reason { // JSON has no other text
			a.AddMissing(Missing{Name: name + ".missing", State: known.Forbidden, Reason: reason})
		}
		b, err := Parse(text(t, a))
		if err != nil {
			t.Fatal(err)
		}
		same(t, a, b)
	})
}

// Whatever text is read is refused or read; what was read can be written and
// read again, and redacted.
func FuzzParse(f *testing.F) {
	a := New()
	add(f, a, "proc/1/cmdline", "a\x00")
	add(f, a, "pg/1/databases.json", `{"columns":["datname"],"rows":[["shop"]]}`)
	add(f, a, "proc/self/mountinfo", "22 1 253:0 / / rw - ext4 /dev/sda1 rw\n")
	a.AddMissing(Missing{Name: "x", State: known.Absent, Reason: "r"})
	f.Add(text(f, a))
	f.Add([]byte(Format + "\n-- a --\n-- end of evidence --\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Parse(b)
		if err != nil {
			return
		}
		again, err := Parse(text(t, a))
		if err != nil {
			t.Fatal(err)
		}
		same(t, a, again)
		if _, err := Parse(text(t, a.Redact())); err != nil {
			t.Errorf("redacted: %v", err)
		}
	})
}
