package goldens

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/gen/jsonschema"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/test/golden"
	"github.com/pgfettle/pgfettle/test/translated"
)

// probed is what pgfettle probe has measured on a scratch server of a small
// virtual machine, with a second disk that answers too fast, made up.
func probed() *document.Probe {
	flush := measured.Fsync{Seconds: 1, DirectIO: true,
		One: []measured.Rate{{Name: "open_datasync", PerSecond: 298.511}, {Name: "fdatasync", PerSecond: 852.904},
			{Name: "fsync", PerSecond: 183.77}, {Name: "fsync_writethrough", Missing: true},
			{Name: "open_sync", PerSecond: 470.642}},
		Two:   []measured.Rate{{Name: "open_datasync", PerSecond: 119.2}, {Name: "fdatasync", PerSecond: 672.1}},
		Plain: &measured.Rate{Name: "write", PerSecond: 326155.4}}
	return &document.Probe{Schema: document.ProbeSchema, Kept: "/var/lib/pgfettle/measured/20261121T171200Z.json",
		Methods: []string{"fdatasync"},
		Subject: document.Subject{Host: "db1", HostSeen: true,
			Instances: []document.SubjectInstance{{Label: "/srv/pg/data", Version: "15.18", State: "running",
				Asked: true}}},
		Measured: measured.Probe{Schema: measured.Schema, TakenAt: 1795281120, Kernel: "6.18.0", Clock: "tsc",
			Seconds: 1,
			Disks: []measured.Disk{
				{Device: "254:0", Name: "vda", Identity: "9f3c",
					Places: []string{"/srv/pg/data", "/srv/pg/data/pg_wal"}, Roles: []string{"data", "wal"},
					Flush: &measured.Flush{By: "pg_test_fsync 15.18", Fsync: flush},
					Reads: &measured.Reads{By: "fio-3.33", Size: unit.GB, Sequential: 710 * unit.MB,
						Random: []measured.Random{{Depth: 1, PerSecond: 5760, Mean: 0.000146, P99: 0.0035},
							{Depth: 4, PerSecond: 26852, Mean: 0.000135, P99: 0.0029},
							{Depth: 64, PerSecond: 50417, Mean: 0.0013, P99: 0.0063}}},
					FioFlush: &measured.FioSide{Count: 537, PerSecond: 537, Mean: 0.0018, P50: 0.0012, P99: 0.0068}},
				{Device: "8:17", Name: "sdb1", Identity: "77aa", Places: []string{"/srv/fast\x1b[2J"},
					Roles: []string{"tablespace"},
					Flush: &measured.Flush{By: measured.OwnFlush,
						Fsync: measured.Fsync{Seconds: 1,
							One: []measured.Rate{{Name: "fdatasync", PerSecond: 48817.44}}, Two: []measured.Rate{}}}},
			},
			Timing: &measured.TimingRun{By: "pg_test_timing 15.18",
				Timing: measured.Timing{Seconds: 1,
					Clocks: []measured.Clock{{LoopNanos: 36.24,
						Steps: []measured.Step{{Below: 1000, Count: 9759}, {Below: 2000, Count: 241}}}}}},
			Memory: &measured.Memory{Size: 256 * unit.MB, Latency: 91e-9, Speed: 11 * unit.GB},
			Missing: []known.Gap{{Fact: "reads (fio)", Reason: "fio is not installed",
				Reveal: "install it: apt-get install fio, dnf install fio or zypper install fio"}}},
		Findings: []check.Finding{{ID: "fsync_impossible", Severity: check.Warning, Area: check.Durability,
			Instance: "/srv/pg/data", Title: "Writes are told safe faster than this disk can make them",
			Seen: say.Text("fdatasync reached 48,817 flushed writes a second."),
			Why:  "Something in front of the disk answers.", Do: say.Text("Find out what answers."),
			Sources: say.SourcesOf([]string{"pg-wal-reliability"})}},
		Follows: []document.ProbeKnob{
			{Instance: "/srv/pg/data", Knob: "commit_delay", Present: "0", Want: "0",
				Reason: say.Text("no commit waits for others")},
			{Instance: "/srv/pg/data", Knob: "random_page_cost", Present: "4", Want: "1.6",
				Reason: say.Text("the data's device made 5760 random reads a second one by one")}},
	}
}

// TestProbe is what a person reads, in testdata/probe.txt.
func TestProbe(t *testing.T) {
	var b bytes.Buffer
	o := reports.Probe(probed(), nil)
	everyForm(t, "probe", o)
	if err := term.Write(&b, o, term.Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/probe.txt"
	if golden.Updating() {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}

// read is what pgfettle probe --read makes of a file with an output of each program:
// testdata/proberead.in.
func read(t *testing.T) *document.Probe {
	t.Helper()
	b, err := os.ReadFile("testdata/proberead.in")
	if err != nil {
		t.Fatal(err)
	}
	r, err := output.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return &document.Probe{Schema: document.ProbeSchema, From: "paste.txt", Outputs: r.Outputs, Unread: r.Unread,
		Verdicts: outputs.Judge(r.Outputs),
		Measured: measured.Probe{Schema: measured.Schema, Disks: []measured.Disk{}, Missing: []known.Gap{}}}
}

// TestProbeRead is what a person reads of a file, in testdata/proberead.txt.
func TestProbeRead(t *testing.T) {
	var b bytes.Buffer
	if err := term.Write(&b, reports.Probe(read(t), nil), term.Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/proberead.txt"
	if golden.Updating() {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Error(d)
	}
}

// TestProbeJSON holds the document to its schema, full and with nothing in it.
func TestProbeJSON(t *testing.T) {
	for _, d := range []*document.Probe{probed(), read(t), {Schema: document.ProbeSchema,
		Measured: measured.Probe{Schema: measured.Schema, Disks: []measured.Disk{}, Missing: []known.Gap{}}}} {
		var b bytes.Buffer
		if err := json.Probe(&b, d); err != nil {
			t.Fatal(err)
		}
		valid(t, "probe", b.Bytes())
	}
}

// TestProbeSchemaIsCurrent holds the published schema to the types that it is made of.
func TestProbeSchemaIsCurrent(t *testing.T) {
	want, err := jsonschema.Render(jsonschema.Document{
		Title: "pgfettle probe --format json",
		Description: "What was measured of a machine, and what follows from it. Times are seconds and amounts bytes " +
			"where nothing else is said.",
		Type:    reflect.TypeFor[document.Probe](),
		Version: document.ProbeSchema,
		File:    "probe.schema.json",
		Module:  "github.com/pgfettle/pgfettle",
		Source:  os.DirFS("../../.."),
		Enums: map[string][]any{"check.Severity": {check.Info, check.Notice, check.Warning, check.Critical},
			"outputs.Tone": {outputs.Good, outputs.Info, outputs.Warning, outputs.Critical}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		if err := os.WriteFile(schemaFile("probe"), want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile("probe"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error(
			"schema/probe.schema.json is not what the types say: go test ./internal/show/goldens -run TestProbe " +
				"-update")
	}
}

// TestProbeInOtherLanguages verifies that no line of what a person reads is left in English, neither of what was
// measured nor of what was read.
func TestProbeInOtherLanguages(t *testing.T) {
	// The made-up reasons are no templates, and a place or a value is none.
	asIs := []string{"/srv/pg/data:", "no commit waits", "random_page_cost", "the data's device"}
	for _, lang := range say.Languages() {
		if lang == say.English {
			continue
		}
		c, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*document.Probe{probed(), read(t)} {
			var english, told bytes.Buffer
			for w, words := range map[*bytes.Buffer]*say.Catalogue{&english: nil, &told: c} {
				if err := term.Write(w, reports.Probe(d, words), term.Style{Width: 1000}); err != nil {
					t.Fatal(err)
				}
			}
			seen := strings.Split(english.String(), "\n")
			for _, line := range strings.Split(told.String(), "\n") {
				text := strings.TrimSpace(line)
				stays := slices.ContainsFunc(asIs, func(s string) bool { return strings.HasPrefix(text, s) })
				if text != "" && !stays && slices.Contains(seen, line) {
					t.Errorf("%s: %q", lang, line)
				}
			}
		}
	}
}

// TestColumnsOfEachLanguage verifies that a head which is one text has as many columns in every language.
func TestColumnsOfEachLanguage(t *testing.T) {
	for _, lang := range say.Languages() {
		c, err := say.Open(lang)
		if err != nil {
			t.Fatal(err)
		}
		if c == nil {
			continue
		}
		for _, e := range c.Entries {
			for _, f := range e.Forms {
				if strings.Count(f, " | ") != strings.Count(e.English, " | ") {
					t.Errorf("%s: %q has other columns than %q", lang, f, e.English)
				}
			}
		}
	}
}

// TestProbeIn verifies that the JSON of a probe follows the language as a whole.
func TestProbeIn(t *testing.T) {
	translated.Whole(t, read(t), (*document.Probe).In)
}
