package pglog

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// list keeps what a reader hands out, as text that a test can compare.
type list struct {
	lines []string
	dumps []Dump
	most  int
}

func (l *list) Entry(e *Entry) {
	for _, p := range [][]byte{e.Message, e.Detail, e.Hint, e.Context, e.Statement, e.User, e.Database, e.App, e.Host} {
		l.most = max(l.most, len(p))
	}
	at := "-"
	if e.Timed {
		at = time.UnixMicro(e.Time).UTC().Format("15:04:05.000") + " " + string(e.Zone)
	}
	l.lines = append(l.lines,
		fmt.Sprintf("%s %d %s %s %q user=%q db=%q app=%q host=%q detail=%q hint=%q context=%q statement=%q", at, e.PID,
			e.Severity, e.State,
			e.Message, e.User, e.Database, e.App, e.Host, e.Detail, e.Hint, e.Context, e.Statement))
}
func (l *list) Dump(d *Dump) { l.dumps = append(l.dumps, *d) }

func readAll(t testing.TB, text string, o Options) (*list, Source) {
	t.Helper()
	l := &list{}
	src, err := Read(strings.NewReader(text), o, l)
	if err != nil {
		t.Fatal(err)
	}
	return l, src
}

// TestPrefixes: each escape is read where a server writes it.
func TestPrefixes(t *testing.T) {
	for _, c := range []struct{ prefix, line, want string }{
		{"%m [%p] ", "2026-11-21 06:39:28.833 UTC [7] LOG:  x", `06:39:28.833 UTC 7 LOG  "x"`},
		{"%t:%r:%u@%d:[%p]:", "2026-11-21 06:39:28 UTC:10.0.0.7(404):ada@shop:[7]:ERROR:  x",
			`06:39:28.000 UTC 7 ERROR  "x" user="ada" db="shop" app="" host="10.0.0.7"`},
		{"%n|%p|%e|", "1795243168.833|7|22012|ERROR:  x", `06:39:28.833 UTC 7 ERROR 22012 "x"`},
		{"%m [%p] %q%u@%d/%a ", "2026-11-21 06:39:28.833 +03 [7] ada@shop/an app: 2 FATAL:  x",
			`06:39:28.833 +03 7 FATAL  "x" user="ada" db="shop" app="an app: 2"`},
		{"%m [%p] %q%u@%d/%a ", "2026-11-21 06:39:28.833 CET [7] PANIC:  x", `06:39:28.833 CET 7 PANIC  "x" user=""`},
		{"%-10p|%20u|%m ", "7         |                 ada|2026-11-21 06:39:28.833 CET WARNING:  x",
			`06:39:28.833 CET 7 WARNING  "x" user="ada"`},
		{"%m %c %l %s %v %x %p %Q %P%%%",
			"2026-11-21 06:39:28.833 UTC 6919e0a0.1f 3 2026-11-21 06:39:20 UTC 3/17 0 7 -123 %LOG:  x",
			`06:39:28.833 UTC 7 LOG  "x"`},
		{"", "LOG:  x", `- 0 LOG  "x"`},
		{"%m [%p] ", "2026-11-21 06:39:28.833 UTC [7] ОШИБКА:  x", `06:39:28.833 UTC 7 ERROR  "x"`},
		{"%m [%p] ", "2026-11-21 06:39:28.833 UTC [7] WËIRD:  x", `06:39:28.833 UTC 7 ?  "x"`},
	} {
		l, src := readAll(t, c.line+"\n", Options{Prefix: c.prefix, Known: true})
		if len(l.lines) != 1 || !strings.HasPrefix(l.lines[0], c.want) {
			t.Errorf("%q in %q: %q, want %q (%+v)", c.prefix, c.line, l.lines, c.want, src)
		}
	}
	for _, line := range []string{"2026-11-21 06:39:28.833 UTC [] LOG:  x", "2026-13-21 06:39:28.833 UTC [7] LOG:  x",
		"LOG:  x", "\tLOG:  x"} {
		if l, src := readAll(t, line+"\n", Options{Prefix: "%m [%p] ", Known: true}); len(l.lines) != 0 ||
			src.Stray != 1 {
			t.Errorf("%q is no line of that prefix: %q %+v", line, l.lines, src)
		}
	}
}

// TestOneSpace: behind a label one space is enough where a page has eaten the other of all lines.
func TestOneSpace(t *testing.T) {
	one := "2026-11-21 06:39:28.833 UTC [7] LOG: x\n"
	for _, o := range []Options{{Prefix: "%m [%p] ", Known: true}, {}} {
		if l, src := readAll(t, one+"2026-11-21 06:39:28,833 INFO: of somebody else\n", o); len(l.lines) != 1 ||
			src.Stray != 1 {
			t.Errorf("%q %+v", l.lines, src)
		}
		two := strings.Replace(one, ": ", ":  ", 1)
		if l, src := readAll(t, two+two+one, o); len(l.lines) != 2 || src.Stray != 1 {
			t.Errorf("of somebody else: %q %+v", l.lines, src)
		}
	}
}

// TestDoubtedPrefix: the server's prefix of today is not used for lines that have
// another one.
func TestDoubtedPrefix(t *testing.T) {
	text := strings.Repeat("2026-11-21 06:39:28 UTC [7]: [3-1] user=ada,db=shop,app=x,client=10.0.0.7 LOG:  x\n", 5)
	l, src := readAll(t, text, Options{Prefix: "%m [%p] ", Known: true, How: "of the server", Doubt: true})
	if len(l.lines) != 5 || src.How != "usual" || !strings.Contains(l.lines[0], `host="10.0.0.7"`) {
		t.Errorf("%q %+v", l.lines, src)
	}
}

// TestOneSessionFillsTheHead: a prefix is inferred from lines that nearly all are
// of one session, whose names are taken for words of it. Lines of others are found
// by their labels; what has no time before its label is of another program.
func TestOneSessionFillsTheHead(t *testing.T) {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "< 2026-11-21 06:39:%02d.833 UTC 7 > [ada shop billing] ERROR:  x\n", i)
	}
	b.WriteString("WARNING:  archive: slow\n")
	for i := range 5 {
		fmt.Fprintf(&b,
			"< 2026-11-21 06:40:%02d.833 UTC 8 > [bob depot stock] ERROR:  y\n< 2026-11-21 06:40:%02d.834 UTC 8 > "+
				"[bob depot stock] STATEMENT:  z\n", i, i)
	}
	l, src := readAll(t, b.String(), Options{})
	if len(l.lines) != 65 || src.How != "guessed" || src.Prefix != "" || src.Stray != 1 {
		t.Fatalf("%d entries of 65: %+v", len(l.lines), src)
	}
	if last := l.lines[64]; !strings.HasPrefix(last, `06:40:04.833 UTC 8 ERROR  "y"`) ||
		!strings.Contains(last, `statement="z"`) {
		t.Errorf("%s", last)
	}
	// A prefix that was given is believed: what does not fit is no line.
	if l, src := readAll(t, b.String(), Options{Prefix: "< %m %p > [ada shop billing] ", Known: true}); len(
		l.lines) != 60 || src.Stray == 0 {
		t.Errorf("%d entries: %+v", len(l.lines), src)
	}
}

// TestEntriesOfSeveralLines: a tab continues a part; lines without a prefix are of a
// dump or of others; a part of another process belongs to nothing.
func TestEntriesOfSeveralLines(t *testing.T) {
	l, src := readAll(t, `2026-11-21 06:39:28.833 UTC [7] ada@shop ERROR:  syntax error at or near "x" at character 12
2026-11-21 06:39:28.833 UTC [7] ada@shop STATEMENT:  select
		1,
	LOG:  2
cp: no such file
2026-11-21 06:39:28.833 UTC [8] ada@shop HINT:  of somebody else
TopMemoryContext: 100 total in 1 blocks; 20 free (1 chunks); 80 used
  A: B: 50 total in 1 blocks (3 chunks); 20 free (1 chunks); 30 used: select 'x: y'
2026-11-21 06:39:29.000 UTC [9] LOG:  between
    C: 1000 total in 1 blocks; 20 free (1 chunks); 80 used
    7 more child contexts containing 70 total in 7 blocks; 2 free (0 chunks); 68 used
  D: 5 total in 1 blocks; 2 free (0 chunks); 3 used
Grand total: 1225 bytes in 11 blocks; 64 free (2 chunks); 1161 used
2026-11-21 06:39:29.000 UTC [7] ada@shop ERROR:  out of memory
2026-11-21 06:39:29.000 UTC [7] ada@shop DETAIL:  Failed on request of size 23 in memory context "C".
2026-11-21 06:39:30.000 UTC [6] bob@shop WARNING:  there is already a transaction at character 613
`, Options{})
	want := []string{
		`06:39:28.833 UTC 7 ERROR  "syntax error at or near \"x\"" user="ada" db="shop" app="" host="" detail="" ` +
			`hint="" context="" statement="select\n\t1,\nLOG:  2"`,
		`06:39:29.000 UTC 9 LOG  "between" user="" db="" app="" host="" detail="" hint="" context="" statement=""`,
		`06:39:29.000 UTC 7 ERROR  "out of memory" user="ada" db="shop" app="" host="" detail="Failed on request of ` +
			`size 23 in memory context \"C\"." hint="" context="" statement=""`,
		`06:39:30.000 UTC 6 WARNING  "there is already a transaction" user="bob" ` +
			`db="shop" app="" host="" detail="" hint="" context="" statement=""`,
	}
	if d := cmp.Diff(want, l.lines); d != "" {
		t.Error(d)
	}
	if src.Stray != 2 || src.Lines != 16 {
		t.Errorf("%+v", src)
	}
	dump := []Dump{{Total: 1225, Used: 1161, Whole: true, Contexts: []Context{
		{Name: "TopMemoryContext", Total: 100, Free: 20, Used: 80, Below: 1225},
		{Name: "A: B", Ident: "select 'x: y'", Depth: 1, Total: 50, Free: 20, Used: 30, Below: 1120},
		{Name: "C", Depth: 2, Total: 1000, Free: 20, Used: 80, Below: 1000},
		{Name: "more child contexts", Depth: 2, Total: 70, Free: 2, Used: 68, Below: 70, More: 7},
		{Name: "D", Depth: 1, Total: 5, Free: 2, Used: 3, Below: 5},
	}}}
	if d := cmp.Diff(dump, l.dumps); d != "" {
		t.Error(d)
	}
}

// TestTwoDumpsAtOnce: contexts of two backends cannot be told apart, and both say so.
func TestTwoDumpsAtOnce(t *testing.T) {
	top := "TopMemoryContext: 100 total in 1 blocks; 20 free (1 chunks); 80 used\n"
	l, _ := readAll(t, "2026-11-21 06:39:28.833 UTC [7] LOG:  x\n"+top+top+
		"Grand total: 100 bytes in 1 blocks; 20 free (1 chunks); 80 used\n", Options{})
	if len(l.dumps) != 2 || !l.dumps[0].Mixed || !l.dumps[1].Mixed || l.dumps[0].Whole || !l.dumps[1].Whole {
		t.Errorf("%+v", l.dumps)
	}
}

// csvRow is a row of csvlog with so many columns.
func csvRow(columns int, message, statement string) string {
	f := make([]string, 26)
	copy(f, []string{"2026-11-21 06:39:28.833 UTC", "ada", "shop", "7", "10.0.0.7:404", "6919e0a0.1f", "3", "SELECT",
		"2026-11-21 06:39:20 UTC", "3/17", "0", "ERROR", "22012", message, "a detail", "a hint",
		"", "", "a context", statement, "8", "", "an app", "client backend", "", "0"})
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.Write(f[:columns]); err != nil {
		panic(err)
	}
	w.Flush()
	return b.String()
}

// TestCSVColumns: rows of all versions are read, and one that was cut does not take
// the next with it.
func TestCSVColumns(t *testing.T) {
	want := `06:39:28.833 UTC 7 ERROR 22012 "a \"message\",\nof two lines" user="ada" db="shop" app=%q ` +
		`host="10.0.0.7" detail="a detail" hint="a hint" context="a context" statement="select ''"`
	for _, columns := range []int{22, 23, 24, 26} {
		app := "an app"
		if columns == 22 {
			app = ""
		}
		row := csvRow(columns, "a \"message\",\nof two lines", "select ''")
		l, src := readAll(t, row, Options{})
		if d := cmp.Diff([]string{fmt.Sprintf(want, app)}, l.lines); d != "" || src.Format != CSV || src.Stray != 0 {
			t.Errorf("%d columns: %s %+v", columns, d, src)
		}
		for at := range len(row) {
			l, src := readAll(t, row[:at]+"\n"+row+row, Options{})
			if n := len(l.lines); n < 1 || l.lines[n-1] != fmt.Sprintf(want, app) {
				t.Fatalf("cut at %d: %q %+v", at, l.lines, src)
			}
		}
	}
}

// TestFormatsAgreeOnAnything: what two of the three formats hold of any text is what
// encoding/csv and encoding/json wrote, up to the bounds.
func TestFormatsAgreeOnAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ -~\t\näßж☃"\\]{0,60}`)
		message, statement := "m"+text.Draw(t, "message"), text.Draw(t, "statement")
		var fromCSV, fromJSON list
		if _, err := Read(strings.NewReader(csvRow(26, message, statement)), Options{}, &fromCSV); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(map[string]any{"user": "ada", "dbname": "shop", "pid": 7, "remote_host": "10.0.0.7",
			"error_severity": "ERROR", "state_code": "22012", "message": message, "detail": "a detail",
			"hint": "a hint", "context": "a context", "statement": statement, "application_name": "an app",
			"line_num": 3})
		if err != nil {
			t.Fatal(err)
		}
		line := `{"timestamp":"2026-11-21 06:39:28.833 UTC",` + string(b[1:]) + "\n"
		if _, err := Read(strings.NewReader(line), Options{}, &fromJSON); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(fromCSV.lines, fromJSON.lines); d != "" || len(fromCSV.lines) != 1 {
			t.Fatalf("-csv +json\n%s", d)
		}
	})
}

// TestBounds: lines and parts of any length are cut, said so, and do not disturb what
// comes after; the same when the bytes come one by one, and packed.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x", 3*maxLine)
	last := "2026-11-21 06:39:29.000 UTC [7] LOG:  last\n"
	for name, text := range map[string]string{
		"line": "2026-11-21 06:39:28.833 UTC [7] ERROR:  " + long + "\n" + last,
		"many lines": "2026-11-21 06:39:28.833 UTC [7] ERROR:  x\n" +
			strings.Repeat("\t"+strings.Repeat("x", 1000)+"\n", 1000) + last,
		"no prefix":   last + long + long + "\n" + last,
		"without end": last + last + long,
		"line of csv": csvRow(26, long, "s") + csvRow(26, "m", "s"),
		"quote of csv": csvRow(26, "m", "s") + csvRow(26, "m"+strings.Repeat("\n", maxLine), "s") +
			csvRow(26, "m", "s"),
		"line of json": `{"timestamp":"2026-11-21 06:39:28.833 UTC","error_severity":"LOG","message":"` + long + `"}` +
			"\n" + `{"timestamp":"2026-11-21 06:39:28.833 UTC","error_severity":"LOG","message":"m"}`,
	} {
		l, src := readAll(t, text, Options{})
		if len(l.lines) < 2 || l.most > maxField || src.Bytes != int64(len(text)) {
			t.Errorf("%s: %d entries, a part of %d bytes, %d of %d bytes", name, len(l.lines), l.most, src.Bytes,
				len(text))
		}
		var slow, packed list
		if _, err := Read(iotest.HalfReader(strings.NewReader(text)), Options{}, &slow); err != nil {
			t.Error(err)
		}
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		src2, err := Read(&z, Options{}, &packed)
		if err != nil || !src2.Gzip {
			t.Errorf("%s, packed: %v %+v", name, err, src2)
		}
		if cmp.Diff(l.lines, slow.lines) != "" || cmp.Diff(l.lines, packed.lines) != "" {
			t.Errorf("%s: in pieces or packed it reads otherwise", name)
		}
	}
	if _, err := Read(strings.NewReader("\x1f\x8bno gzip"), Options{}, &list{}); err == nil {
		t.Error("a broken gzip stream is no error")
	}
	if _, err := Read(iotest.ErrReader(os.ErrInvalid), Options{}, &list{}); err == nil {
		t.Error("an error of the reader is none")
	}
}

// TestFingerprint: statements that differ in literals alone are one, others are not.
func TestFingerprint(t *testing.T) {
	for sql, want := range map[string]string{
		"select * from t where a in (1, 2,3) and b='it''s' /* x /* y */ */ and c = $$ f'oo $$ -- hey\n order  by " +
			"1;": "select * from t where a in (?) and b=? and c = ? order by ?",
		"insert into t1 values (1,'a'), (2, 'b'),(3,E'\\'x')": "insert into t1 values (?)",
		`select "Na'me1", x.y2 from "t 1" where z > ` +
			`-1.5e+3`: `select "Na'me1", x.y2 from "t 1" where z > -?`,
		"select $1, $2::int, $tag$ secret $tag$": "select $1, $2::int, ?",
		"select 'open":                           "select ?",
		"select E'\\\\', 'x'":                    "select ?",
		"":                                       "",
	} {
		text, _ := Fingerprint([]byte(sql), nil, 500)
		if string(text) != want {
			t.Errorf("%q: %q, want %q", sql, text, want)
		}
	}
	_, a := Fingerprint([]byte("select 1 from a"), nil, 3)
	_, b := Fingerprint([]byte("select 22  from a"), nil, 500)
	_, c := Fingerprint([]byte("select 1 from b"), nil, 3)
	if a != b || a == c {
		t.Errorf("%x %x %x", a, b, c)
	}
}

// TestNoLiteralSurvives: whatever stands in quotes of a statement is not in its text.
func TestNoLiteralSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inner := rapid.StringMatching(`[a-z '\\$"/*\n-]{0,20}`).Draw(t, "inner")
		quoted := "'" + strings.ReplaceAll("SECRET"+inner+"SECRET", "'", "''") + "'"
		text, _ := Fingerprint([]byte("select "+quoted+" from t"), nil, 500)
		if string(text) != "select ? from t" {
			t.Fatalf("%q: %q", quoted, text)
		}
	})
}

func fuzz(f *testing.F, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var l, again list
		src, err := Read(bytes.NewReader(data), Options{}, &l)
		if err != nil && !src.Gzip {
			t.Fatal(err)
		}
		if src.Entries > src.Lines || l.most > maxField || !src.Gzip && src.Bytes != int64(len(data)) {
			t.Errorf("%+v of %d bytes", src, len(data))
		}
		for _, d := range l.dumps {
			if len(d.Contexts) > maxContexts {
				t.Errorf("%d contexts", len(d.Contexts))
			}
		}
		// Whatever it is, it is the same again, and no kind of entry breaks its readers.
		if _, err := Read(iotest.HalfReader(bytes.NewReader(data)), Options{}, &again); err == nil && !src.Gzip &&
			cmp.Diff(l.lines, again.lines) != "" {
			t.Error("in pieces it reads otherwise")
		}
		e := Entry{Severity: Log, Message: data, Detail: data, Hint: data}
		if len(data) > 0 {
			e.Kind()
			e.Checkpoint()
			e.CheckpointReason()
			e.Vacuum()
		}
		e.Spill()
		e.Death()
		e.Wait()
		e.Running()
		e.Request()
		if text, _ := Fingerprint(data, nil, 100); len(text) > 100 {
			t.Errorf("a text of %d bytes", len(text))
		}
		p := newPrefix(string(data[:min(len(data), 40)]))
		var f fields
		p.match(data, &f)
	})
}

func FuzzStderr(f *testing.F) {
	fuzz(f,
		"2026-11-21 06:39:28.833 UTC [7] ada@shop ERROR:  x\n2026-11-21 06:39:28.833 UTC [7] ada@shop DETAIL:  "+
			"y\n\tz\nTopMemoryContext: 100 total in 1 blocks; 20 free (1 chunks); 80 used\nGrand total: 1 bytes in "+
			"1 blocks; 1 free (1 chunks); 1 used\n",
		"%m [%p] %q%u@%d/%a ", "< 2026-11-21 06:39:28.833 UTC 7 user=x,db=y > LOG:  x\n",
		"1795243168.833 [7] ERREUR:  x\n",
		"2026-11-21 06:39:28 UTC [7] LOG:  b\n\tc\n2026-11-21 06:39:20 UTC [7] LOG:  a\n", // newest first
		"2026-11-21 06:39:28 UTC [7] ERREUR:  m\xe9moire \xe9puis\xe9e\n", "\x1f\x8b\x08\x00")
}

func FuzzCSV(f *testing.F) {
	fuzz(f, csvRow(26, "m\n\"x\"", "s"), csvRow(22, "m", "s")+"2026-11-21 06:39:28.833 UTC,\"")
}

func FuzzJSON(f *testing.F) {
	fuzz(f,
		`{"timestamp":"2026-11-21 06:39:28.833 UTC","pid":7,"error_severity":"LOG","message":"x\u00e4\ud83d\ude00\n"}`+
			"\n", `{"timestamp":"`)
}
