package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite what the rules' cases want")

// TestRules runs AREA/testdata/<knob>.txtar: the cases of one rule, which runs alone
// on a described host, so that no other rule can move them; what it needs
// decided before is then what the server has now. A case is two entries,
//
//	-- NAME/host --      what the host is, one line each:
//	host: ram=64GB cpus=16 pg=17 set.max_connections=200      (snapshot.ParseDescription)
//	options: profile=oltp connections=300 active=20 storage=nvme dedicated=false
//	pin: pg:work_mem=64MB
//	accept: nobarrier a reason     a finding that the policy accepts
//	with: pg:shared_buffers …     other rules to run too
//	file: proc/sys/vm/swappiness 10    a file of the evidence; \n is a line break
//	hide: proc/meminfo forbidden the reason    a fact that is absent, forbidden or unread
//	copy: pg/1/ pg/2/             every evidence file under the first name under the second too
//	set: log_line_prefix %m %u    a setting of the server as pg_settings has it, spaces and all
//	enum: wal_compression pglz lz4 on off     what the server's build accepts
//	-- NAME/want --      what comes of it; -update rewrites it
//
// and, for evidence of several lines, entries -- NAME/evidence/PATH --. NAME
// says the case in plain words.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("*/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[knob.Address]int{}
	for _, f := range files {
		r, ok := ruleOf(f)
		if !ok {
			t.Errorf("%s: there is no such knob", f)
			continue
		}
		t.Run(string(r.Address), func(t *testing.T) { cases[r.Address] = runFile(t, f, r) })
	}
	if flag.Lookup("test.run").Value.String() != "" {
		return
	}
	for _, r := range rules.All() {
		// What is typical, what is at the edge, and what happens without a fact.
		if cases[r.Address] < 3 {
			t.Errorf("%s has %d cases in testdata; three are the least", r.Address, cases[r.Address])
		}
	}
}

func ruleOf(file string) (rule.Rule, bool) {
	base := strings.TrimSuffix(filepath.Base(file), ".txtar")
	plain := strings.NewReplacer(".", "_", "-", "_", ":", "_", "*/", "")
	for _, r := range rules.All() {
		name := r.Address.Name()
		if base == plain.Replace(name) || base == name[strings.LastIndexByte(name, '.')+1:] || base == plain.Replace(string(r.Address)) {
			return r, true
		}
	}
	return rule.Rule{}, false
}

func runFile(t *testing.T, file string, r rule.Rule) int {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(ar.Comment)) == "" {
		t.Errorf("%s: its first line says nothing", file)
	}
	n := 0
	for _, f := range slices.Clone(ar.Files) {
		name, ok := strings.CutSuffix(f.Name, "/host")
		if !ok {
			continue
		}
		n++
		t.Run(name, func(t *testing.T) {
			got := decide(t, ar, name, string(f.Data), r)
			for j := range ar.Files {
				if ar.Files[j].Name == name+"/want" {
					if *update {
						ar.Files[j].Data = []byte(got)
					} else if want := string(ar.Files[j].Data); got != want {
						t.Errorf("got:\n%s\nwant:\n%s", got, want)
					}
					return
				}
			}
			if !*update {
				t.Fatalf("no entry %s/want", name)
			}
			at := 1 + slices.IndexFunc(ar.Files, func(o txtar.File) bool { return o.Name == f.Name })
			ar.Files = slices.Insert(ar.Files, at, txtar.File{Name: name + "/want", Data: []byte(got)})
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// decide runs one case and tells what came of it.
func decide(t *testing.T, ar *txtar.Archive, name, host string, r rule.Rule) string {
	t.Helper()
	o := rule.Options{Profile: rule.Mixed, Pins: map[knob.Address]string{}}
	all := []rule.Rule{r}
	over := map[string]string{}
	hidden := map[string]evidence.Missing{}
	spec := ""
	var copies [][2]string
	set, enum := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(host) {
		key, raw, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if !ok {
			continue
		}
		val := strings.TrimSpace(raw)
		switch key {
		case "host":
			spec = val
		case "options":
			options(t, &o, val)
		case "pin":
			a, v, _ := strings.Cut(val, "=")
			o.Pins[knob.Address(a)] = v
		case "accept": // a finding everywhere
			id, reason, _ := strings.Cut(val, " ")
			o.Accepted = append(o.Accepted, rule.Accepted{ID: id, Reason: reason, Expires: "never"})
		case "with":
			for _, a := range strings.Fields(val) {
				for _, other := range rules.All() {
					if string(other.Address) == a {
						all = append(all, other)
					}
				}
			}
		case "file":
			path, text, _ := strings.Cut(val, " ")
			over[path] = strings.ReplaceAll(text, `\n`, "\n") + "\n"
		case "hide":
			path, rest, _ := strings.Cut(val, " ")
			state, reason, _ := strings.Cut(rest, " ")
			hidden[path] = evidence.Missing{Name: path, State: states[state], Reason: reason}
		case "copy":
			from, to, _ := strings.Cut(val, " ")
			copies = append(copies, [2]string{from, to})
		case "set":
			n, v, _ := strings.Cut(strings.TrimPrefix(raw, " "), " ")
			set[n] = v
		case "enum":
			n, v, _ := strings.Cut(val, " ")
			enum[n] = strings.Fields(v)
		default:
			t.Fatalf("%q is no key of a case", key)
		}
	}
	for _, f := range ar.Files {
		if path, ok := strings.CutPrefix(f.Name, name+"/evidence/"); ok {
			over[path] = string(f.Data)
		}
	}
	s, err := snapshot.Read(archive(t, spec, over, hidden, copies))
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Instances {
		m, _ := s.Instances[i].Server.Settings.Get()
		for n, v := range set {
			e := m[n]
			e.Value, e.Source, e.File = v, "configuration file", "postgresql.conf"
			m[n] = e
		}
		for n, v := range enum {
			e := m[n]
			e.Enum = v
			m[n] = e
		}
	}
	out, err := rule.Decide(s, all, o)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	return tell(out, r.Address)
}

var states = map[string]known.State{"absent": known.Absent, "forbidden": known.Forbidden, "unread": known.Unread}

// archive is the described host with files changed, hidden and copied.
func archive(t *testing.T, spec string, over map[string]string, hidden map[string]evidence.Missing, copies [][2]string) *evidence.Archive {
	t.Helper()
	described, err := snapshot.Describe(spec)
	if err != nil {
		t.Fatalf("host: %v", err)
	}
	a := evidence.New()
	gone := map[string]bool{}
	for path, m := range hidden {
		a.AddMissing(m)
		gone[path] = true
	}
	add := func(path string, text []byte) {
		if gone[path] {
			return
		}
		if err := a.Add(path, text); err != nil {
			t.Fatal(err)
		}
		gone[path] = true
	}
	for path, text := range over {
		add(path, []byte(text))
	}
	for _, path := range described.Names() {
		text, err := described.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range copies {
			if rest, ok := strings.CutPrefix(path, c[0]); ok {
				add(c[1]+rest, text)
			}
		}
		add(path, text)
	}
	for _, m := range described.MissingFiles() {
		if !gone[m.Name] {
			a.AddMissing(m)
		}
	}
	return a
}

func options(t *testing.T, o *rule.Options, text string) {
	t.Helper()
	for _, f := range strings.Fields(text) {
		k, v, _ := strings.Cut(f, "=")
		var err error
		switch k {
		case "profile":
			o.Profile, err = rule.ParseProfile(v)
		case "storage":
			o.Storage, err = rule.ParseStorage(v)
		case "connections":
			o.Connections, err = strconv.Atoi(v)
		case "active":
			o.Active, err = strconv.Atoi(v)
		case "dedicated":
			o.Shared = v == "false"
		default:
			err = fmt.Errorf("no such option: %s", k)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// tell writes the decisions on one knob or family, and all warnings and unknowns.
func tell(out *rule.Outcome, a knob.Address) string {
	var b strings.Builder
	for _, d := range out.Decisions {
		if !a.Covers(d.Address) {
			continue
		}
		for _, id := range d.Rule.Sources {
			if _, ok := say.SourceByID(id); !ok {
				fmt.Fprintf(&b, "source %q does not exist\n", id)
			}
		}
		from := "?"
		if p, ok := d.Present.Get(); ok {
			from = p.Show()
		}
		where := ""
		if d.Instance != "" && d.Instance != "1" {
			where = " of instance " + d.Instance
		}
		switch {
		case d.Changes():
			fmt.Fprintf(&b, "%s%s: %s -> %s (%s)\n", d.Address, where, from, d.Effective.Show(), d.Effect)
		case d.Want != d.Effective:
			fmt.Fprintf(&b, "%s%s: %s stays; %s would be no better\n", d.Address, where, from, d.Want.Show())
		case from == "?":
			fmt.Fprintf(&b, "%s%s: unknown now; %s is right\n", d.Address, where, d.Want.Show())
		default:
			fmt.Fprintf(&b, "%s%s: %s stays\n", d.Address, where, from)
		}
		fmt.Fprintf(&b, "because %s\n", d.Reason)
	}
	if b.Len() == 0 {
		b.WriteString("no decision\n")
	}
	for _, w := range out.Warnings {
		if strings.HasPrefix(w.ID, "rule/pg:work_mem/") && a != knob.PG("work_mem") {
			continue // said of every plan; its own cases show it
		}
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	for _, g := range out.Unknown {
		fmt.Fprintf(&b, "unknown: %s: %s\n", g.Fact, g.Reason)
	}
	return b.String()
}
