package evidence_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata")

func load(t *testing.T) (*evidence.Archive, string) {
	t.Helper()
	b, err := os.ReadFile("testdata/acme.evidence")
	if err != nil {
		t.Fatal(err)
	}
	a, err := evidence.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return a, string(b)
}

func written(t *testing.T, a *evidence.Archive) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := a.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// secrets are the words of the fixture that identify whose system it is.
var secrets = []string{
	"acme", "alice", "kunden", "payroll", "salaries", "hera", "zeus", "hunter2", "etl", "10.77.", "fast", "Q8zF",
	"images", "acmelan", "prod",
}

func TestRedactLeavesNoName(t *testing.T) {
	a, original := load(t)
	got := written(t, a.Redact())
	for _, s := range secrets {
		if !strings.Contains(strings.ToLower(original), strings.ToLower(s)) {
			t.Errorf("%q is not in the fixture: the test proves nothing of it", s)
		}
		for i, line := range strings.Split(got, "\n") {
			if strings.Contains(strings.ToLower(line), strings.ToLower(s)) {
				t.Errorf("line %d still tells %q: %s", i+1, s, line)
			}
		}
	}
}

func TestRedactGolden(t *testing.T) {
	a, _ := load(t)
	got := written(t, a.Redact())
	const file = "testdata/acme.redacted"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestRedactIsPure(t *testing.T) {
	a, _ := load(t)
	before := written(t, a)
	first, second := written(t, a.Redact()), written(t, a.Redact())
	if first != second {
		t.Error("two redactions of one archive differ")
	}
	if d := cmp.Diff(before, written(t, a)); d != "" {
		t.Errorf("the original changed\n%s", d)
	}
}

// One name has one pseudonym wherever it is, and what belonged together still does.
func TestRedactIsConsistent(t *testing.T) {
	a, _ := load(t)
	s, err := snapshot.Read(a.Redact())
	if err != nil {
		t.Fatal(err)
	}
	in := s.Instance("1")
	access, _ := in.Server.Access.Get()
	dbs, _ := in.Server.Databases.Get()
	found := false
	for _, d := range dbs {
		found = found || d.Name == access.Database
	}
	if !found {
		t.Errorf("the database %q of the connection is not among the databases", access.Database)
	}
	ps, _ := in.Processes.Get()
	if len(ps) != 4 || !strings.HasPrefix(ps[2].Title, access.Role+" "+access.Database+" ") {
		t.Errorf("the title %q does not name role and database", ps[2].Title)
	}
	for i, kind := range []string{"postmaster", "checkpointer", "backend", "walsender"} {
		if ps[i].Kind != kind {
			t.Errorf("process %d is a %q, not a %s", i, ps[i].Kind, kind)
		}
	}
	places, _ := in.Places.Get()
	for i, source := range []string{"253:1", "254:2"} {
		if m, ok := s.MountOf(places[i].Path); !ok || m.Device != source {
			t.Errorf("%s lies on %s", places[i].Path, m.Device)
		}
	}
	if cg, _ := in.CGroup.Get(); cg.LimitedBy["memory"] != "/system.slice/system-postgresql.slice" {
		t.Errorf("limited by %v", cg.LimitedBy)
	}
	if h, ok := in.History.Get(); !ok || h.Active == nil || h.Active.Value != 34 {
		t.Errorf("the history of %s: %+v", in.Label(), in.History)
	}
	if u, ok := in.Unit.Get(); !ok || u.OOMPolicy != "stop" {
		t.Errorf("unit %+v", in.Unit)
	}
}

// Numbers, truth values and what is missing are the same after redaction: no judgment depends on a name.
func TestRedactKeepsWhatIsJudged(t *testing.T) {
	a, _ := load(t)
	before, after := facts(t, a), facts(t, a.Redact())
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("-before +after\n%s", d)
	}
	if n := strings.Count(string(before), "\n"); n < 500 {
		t.Errorf("the snapshot has %d lines only", n)
	}
}

// facts returns the snapshot with every text that is no state replaced by «…».
func facts(t *testing.T, a *evidence.Archive) []byte {
	t.Helper()
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	b, err = json.MarshalIndent(blank(v), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// number finds settings and counts that are kept as text.
var number = regexp.MustCompile(`^-?[0-9.]+([a-zA-Z]{0,3})$`)

func blank(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			switch { // parameters and roles are keys of maps
			case strings.Contains(k, "acme"), strings.HasPrefix(k, "custom."):
				k = "(custom)"
			case k == "alice_admin", strings.HasPrefix(k, "role") && strings.Trim(k[len("role"):], "0123456789") == "":
				k = "(role)"
			}
			out[k] = blank(e)
		}
		return out
	case []any:
		out := []any{}
		for _, e := range v {
			out = append(out, blank(e))
		}
		return out
	case string:
		if v == "" || number.MatchString(v) {
			return v
		}
		return "…"
	}
	return v
}

// An entry of unknown form is taken out, not passed on, and says so.
func TestRedactTakesOutTheUnknown(t *testing.T) {
	a := evidence.New()
	for name, text := range map[string]string{
		"strange":             "secret\n",
		"pg/1/databases.json": "not json\n",
		"pg/1/made_up.json":   `{"columns":["who","n"],"rows":[["secret","7"]]}`,
		"proc/77/maps":        "secret\n",
		"etc/shadow":          "secret\n",
		"pg/1/shmem.json":     `{"rows":[["secret"]]}`,
		"proc/1/environ":      "PGPASSWORD=secret\x00container=docker\x00",
		"proc/self/mountinfo": "secret\n",
		"etc/fstab": "# secret\nLABEL=secret /secret ext4 noatime,journal_path=/secret " +
			"0 1 # secret\nx /a secret x\n",
		"proc/5/cgroup":                         "secret\n",
		"instances.json":                        `[{"key":"1","other":"secret","deep":{"other":["secret"]}}]`,
		"pg/1/places.json":                      `"secret"`,
		"sys/block/md_secret/dm/name":           "secret\n",
		"sys/fs/cgroup/secret.slice/memory.max": "max\n",
	} {
		if err := a.Add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	r := a.Redact()
	if got := written(t, r); strings.Contains(got, "secret") {
		t.Errorf("still there:\n%s", got)
	}
	if b, _ := r.ReadFile("etc/fstab"); !strings.Contains(string(b), "\n(redacted) /name") ||
		!strings.Contains(string(b), " ext4 noatime,journal_path=redacted\n") {
		t.Errorf("fstab: %q", b)
	}
	var out []string
	for _, m := range r.MissingFiles() {
		if m.Reason != "taken out by redaction" {
			t.Errorf("%+v", m)
		}
		out = append(out, m.Name)
	}
	want := []string{"etc/name1", "pg/1/databases.json", "pg/1/shmem.json", "proc/77/maps", "strange"}
	if len(out) != len(want) {
		t.Errorf("taken out: %q", out)
	}
	b, err := r.ReadFile("pg/1/made_up.json")
	var ans struct{ Rows [][]string }
	if err != nil || json.Unmarshal(b, &ans) != nil || !reflect.DeepEqual(ans.Rows,
		[][]string{{evidence.Redacted, "7"}}) {
		t.Errorf("made_up.json: %s, %v", b, err)
	}
}

// What --deep brings from several databases names them, their relations and
// columns, and the server's own words on why one was not asked may.
func TestRedactDeep(t *testing.T) {
	a, _ := load(t)
	for name, text := range map[string]string{
		"pg/1/deep_visits.json": `{"columns":["database","query","reason","reveal"],"rows":[
["payroll","","not let in: permission denied for database \"payroll\"","GRANT CONNECT ON DATABASE … TO <role>"],
["payroll","deep_unused","canceling statement due to statement timeout",""]]}`,
		"pg/1/deep_sequences.json": `{"columns":["database","nspname","relname","owner_table","owner_column","last",` +
			`"most"],"rows":[["payroll","public","salaries_seq","salaries","kundennr","2000000000","2147483647"]]}`,
		"pg/1/deep_duplicates.json": `{"columns":["database","nspname","relname","indexrelname","kept","relpages"],` +
			`"rows":[["payroll","public","salaries","salaries_again","salaries_pkey","128"]]}`,
	} {
		if err := a.Add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	r := a.Redact()
	got := ""
	for _, name := range []string{"visits", "sequences", "duplicates"} {
		b, err := r.ReadFile("pg/1/deep_" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		got += string(b)
	}
	for _, s := range secrets {
		if strings.Contains(strings.ToLower(got), s) {
			t.Errorf("%q is told: %s", s, got)
		}
	}
	for _, s := range []string{"deep_unused", "canceling statement due to statement timeout", "not let in",
		"2000000000", `"public"`} {
		if !strings.Contains(got, s) {
			t.Errorf("%q is gone: %s", s, got)
		}
	}
}
