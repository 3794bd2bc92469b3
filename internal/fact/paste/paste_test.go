package paste

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
)

func read(text string) *Read { return ReadAll([]Input{{Name: "a", Text: []byte(text)}}, "") }

// inputs are pastes as people write them: outputs of commands between words.
func inputs(t testing.TB) map[string][]Input {
	t.Helper()
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no pastes: %v", err)
	}
	out := map[string][]Input{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(name)] = []Input{{filepath.Base(name), b}}
	}
	return out
}

// TestEveryLineIsCounted holds that no line of a paste is left out silently, and that
// its evidence is one.
func TestEveryLineIsCounted(t *testing.T) {
	for name, in := range inputs(t) {
		hold(t, name, in)
	}
}

func hold(t testing.TB, name string, in []Input) {
	t.Helper()
	r := ReadAll(in, "")
	if n := r.Lines; n.Recognized+n.Commands+n.Blank+n.Unrecognized != n.Total {
		t.Errorf("%s: %+v does not add up", name, n)
	}
	at := map[string]int{}
	for _, p := range r.Parts {
		if p.First <= at[p.File] || p.Last < p.First {
			t.Errorf("%s: part %s of lines %d to %d, behind line %d", name, p.Kind, p.First, p.Last, at[p.File])
		}
		at[p.File] = p.Last
	}
	lines := 0
	for _, s := range r.Unrecognized {
		lines += s.Lines
	}
	if lines != r.Lines.Unrecognized {
		t.Errorf("%s: %d lines are told, %d were not recognized", name, lines, r.Lines.Unrecognized)
	}
	a, err := r.Evidence()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var b strings.Builder
	for _, x := range []*evidence.Archive{a, a.Redact()} {
		b.Reset()
		if _, err := x.WriteTo(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := evidence.ParseFrom(strings.NewReader(b.String())); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnits holds what a number without a letter counts.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		step bool
	}{
		{"$ free -g\n      total used free shared buff/cache available\nMem:     62   3   1   0   57   58\n",
			62 * amount.GB, true},
		{"$ free -b\n      total used free shared buff/cache available\nMem: 4294967296 1 2 3 4 5\n",
			4294967296, false},
		{"      total used free shared buff/cache available\nMem: 4294967296 1073741824 1024 0 2048 4096\n",
			4294967296, false},
		{"      total used free shared buff/cache available\nMem:          64215       12304         812        " +
			"4102       51098       47001\n",
			64215 * amount.MB, true},
		{"              gesamt       benutzt     frei      gemns.  Puffer/Cache verfügbar\nSpeicher:    7,7Gi       " +
			"3,3Gi       1,2Gi       412Mi       3,2Gi       3,7Gi\n",
			8267812045, true},
		{"MemTotal:       16332236 kB\nMemFree:  1 kB\n", 16332236 * amount.KB, false},
	} {
		r := read(c.text)
		if len(r.Parts) != 1 {
			t.Errorf("%q: %d parts", c.text, len(r.Parts))
			continue
		}
		f, ok := r.Parts[0].Fact("memory.total", "")
		if !ok || f.Value != c.want || f.Rounded != c.step {
			t.Errorf("%q: %+v, want %d", c.text, f, c.want)
		}
	}
}

// TestProse holds that what people write is no part.
func TestProse(t *testing.T) {
	for _, s := range []string{"top is fine, and free memory is low", "work_mem is 4MB",
		"free memory is wasted memory.",
		"the host is slow", "Name: Jane\nAddress: here", "Memory: I have 64 GB",
		"shared_buffers should be a quarter of RAM",
		"local people know it", "max_connections", "df says that it is full", "a | b\nc | d"} {
		if r := read(s); len(r.Parts) > 0 {
			t.Errorf("%q is %s", s, r.Parts[0].Kind)
		}
	}
}

// TestConflicts holds that two hosts are not mixed.
func TestConflicts(t *testing.T) {
	r := read("MemTotal: 8055268 kB\nMemFree: 145184 kB\n\n```\n\nMemTotal: 66055268 kB\nMemFree: 245184 kB\n")
	if len(r.Conflicts) != 1 || r.Conflicts[0].Fact != "memory.total" || !r.Parts[0].Used || r.Parts[1].Used {
		t.Errorf("%+v %+v", r.Conflicts, r.Parts)
	}
	r = read(
		"shared_buffers = 8GB\nwork_mem = 4MB\n\npostgres=# show shared_buffers;\n shared_buffers " +
			"\n----------------\n 128MB\n(1 row)\n")
	if len(r.Conflicts) != 1 || r.Conflicts[0].Kept != 1 {
		t.Errorf("%+v", r.Conflicts)
	}
}

func FuzzRead(f *testing.F) {
	for _, in := range inputs(f) {
		for _, i := range in {
			f.Add(i.Text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 64<<10 {
			return
		}
		hold(t, "fuzz", []Input{{"a", text}})
	})
}

func BenchmarkRead(b *testing.B) {
	var all []byte
	for _, in := range inputs(b) {
		for _, i := range in {
			all = append(append(all, i.Text...), '\n')
		}
	}
	b.SetBytes(int64(len(all)))
	for b.Loop() {
		ReadAll([]Input{{"a", all}}, "")
	}
}

// TestPrompts holds that the command behind a prompt says what numbers are, and that 0 GB
// of swap are not called none.
func TestPrompts(t *testing.T) {
	const out = "              total        used        free      shared  buff/cache   available\n" +
		"Mem:            503         120          12           9         370         369\n" +
		"Swap:             0           0           0\n"
	for _, prompt := range []string{"db03 ~ $ ", "/ # ", "/var/log # ", "➜  ~ ", "➜ ", "root@db03:~# ", "$ "} {
		r := ReadAll([]Input{{Name: "x", Text: []byte(prompt + "free -g\n" + out)}}, "")
		if len(r.Parts) != 1 {
			t.Fatalf("%q: %d parts", prompt, len(r.Parts))
		}
		if f, ok := r.Parts[0].Fact("memory.total", ""); !ok || f.Value != int64(503<<30) {
			t.Errorf("%q: %+v", prompt, f)
		}
		a, err := r.Evidence()
		if err != nil {
			t.Fatal(err)
		}
		if b, err := a.ReadFile("proc/swaps"); err == nil {
			t.Errorf("%q: there is no swap: %s", prompt, b)
		}
	}
	r := ReadAll([]Input{{Name: "x", Text: []byte("free -m\n" + out)}}, "")
	if a, err := r.Evidence(); err != nil {
		t.Error(err)
	} else if _, err := a.ReadFile("proc/swaps"); err != nil {
		t.Errorf("0 MB of swap are none: %v", err)
	}
}
