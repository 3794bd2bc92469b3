package store

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

func set(t *testing.T, s *Store, at time.Time, instance string, pairs ...string) []history.Event {
	t.Helper()
	now := map[string]history.Setting{}
	for i := 0; i < len(pairs); i += 2 {
		now[pairs[i]] = history.Setting{Value: pairs[i+1], Where: "/data/postgresql.auto.conf:" + strconv.Itoa(i/2+3),
			Who: "dba"}
	}
	events, err := s.AppendSettings(context.Background(), at, instance, now)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// Settings are compared with those before; what was in effect at any time is returned.
func TestSettings(t *testing.T) {
	ctx := context.Background()
	s := openNew(t, Options{})
	if e := set(t, s, noon, "/data", "work_mem", "4MB", "jit", "on"); len(e) != 0 {
		t.Errorf("the first look tells: %+v", e)
	}
	if e := set(t, s, noon, "/other", "work_mem", "64MB"); len(e) != 0 {
		t.Errorf("the first look at another tells: %+v", e)
	}
	if e := set(t, s, noon.Add(time.Hour), "/data", "work_mem", "4MB", "jit", "on"); len(e) != 0 {
		t.Errorf("the same again tells: %+v", e)
	}
	two := noon.Add(2 * time.Hour)
	got := set(t, s, two, "/data", "a.new", "1", "work_mem", "8MB")
	want := []history.Event{
		{At: two, Since: noon.Add(time.Hour), Kind: history.SettingChanged, Instance: "/data", Subject: "a.new",
			After: "1", Who: "dba", Where: "/data/postgresql.auto.conf:3", Detail: "not set before"},
		{At: two, Since: noon.Add(time.Hour), Kind: history.SettingChanged, Instance: "/data", Subject: "jit",
			Before: "on", Detail: "no longer set"},
		{At: two, Since: noon.Add(time.Hour), Kind: history.SettingChanged, Instance: "/data", Subject: "work_mem",
			Before: "4MB", After: "8MB", Who: "dba", Where: "/data/postgresql.auto.conf:4"},
	}
	for i := range want {
		want[i].ID = int64(i + 1)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	stored, err := s.EventsBetween(ctx, history.EventFilter{From: noon, To: two.Add(time.Second)})
	if diff := cmp.Diff(want, stored); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for at, want := range map[time.Time]map[string]string{
		noon.Add(-time.Second): {},
		noon:                   {"work_mem": "4MB", "jit": "on"},
		two.Add(-time.Second):  {"work_mem": "4MB", "jit": "on"},
		two:                    {"work_mem": "8MB", "a.new": "1"},
	} {
		got, err := s.SettingsAt(ctx, "/data", at)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", at, err, diff)
		}
	}
	str := func(s string) *string { return &s }
	diffs, err := s.SettingsDiff(ctx, "/data", noon, two)
	if diff := cmp.Diff([]history.SettingChange{{Name: "a.new", Before: nil, After: str("1")},
		{Name: "jit", Before: str("on"), After: nil}, {Name: "work_mem", Before: str("4MB"), After: str("8MB")}},
		diffs); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if diffs, err := s.SettingsDiff(ctx, "/other", noon, two); len(diffs) != 0 || err != nil {
		t.Errorf("of the other: %+v, %v", diffs, err)
	}
	// The clock goes back: what is seen last is what holds.
	set(t, s, noon.Add(30*time.Minute), "/data", "work_mem", "16MB")
	if now, err := s.SettingsAt(ctx, "/data", two.Add(time.Hour)); err != nil ||
		!cmp.Equal(now, map[string]string{"work_mem": "16MB"}) {
		t.Errorf("after the clock went back: %v, %v", now, err)
	}
	if list, err := s.Instances(ctx); err != nil || !cmp.Equal(list, []string{"/data", "/other"}) {
		t.Errorf("instances: %v, %v", list, err)
	}
}

// What is known of settings outlives the process that stored it.
func TestSettingsOutliveTheWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), File)
	for i, value := range []string{"4MB", "4MB", "8MB"} {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if e := set(t, s, noon.AddDate(0, 0, i), "/data", "work_mem", value); (len(e) == 1) != (i == 2) {
			t.Errorf("run %d: %+v", i, e)
		}
		s.Close()
	}
}

// Findings appear, grow worse and vanish.
func TestFindings(t *testing.T) {
	ctx := context.Background()
	s := openNew(t, Options{})
	at := noon
	look := func(list ...history.Finding) (told []string) {
		t.Helper()
		events, err := s.AppendFindings(ctx, at, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			told = append(told, string(e.Kind)+" "+e.Instance+" "+e.Subject+" "+e.Where+" "+e.Before+">"+e.After)
		}
		at = at.Add(time.Minute)
		return told
	}
	disk := func(name, severity string) history.Finding {
		return history.Finding{ID: "disk_full", Subject: name, Severity: severity, Title: "A disk is full"}
	}
	for i, c := range []struct {
		list []history.Finding
		want []string
	}{
		{[]history.Finding{disk("/a", "warning")}, nil},
		{[]history.Finding{disk("/a", "warning")}, nil},
		{[]history.Finding{disk("/a", "warning"), disk("/b", "warning")},
			[]string{"finding-appeared  disk_full /b >warning"}},
		{[]history.Finding{disk("/b", "critical"), {Instance: "/data", ID: "fsync_off", Severity: "critical"}},
			[]string{"finding-vanished  disk_full /a warning>", "finding-severity  disk_full /b warning>critical",
				"finding-appeared /data fsync_off  >critical"}},
		{nil, []string{"finding-vanished  disk_full /b critical>", "finding-vanished /data fsync_off  critical>"}},
	} {
		if diff := cmp.Diff(c.want, look(c.list...)); diff != "" {
			t.Errorf("look %d: %s", i, diff)
		}
		if got, err := s.Findings(ctx); err != nil || len(got) != len(c.list) {
			t.Errorf("look %d: %d are known of %d, %v", i, len(got), len(c.list), err)
		}
	}
}

// Events are bounded in length and number, and narrowed by every field.
func TestEvents(t *testing.T) {
	ctx := context.Background()
	s := openNew(t, Options{})
	long := strings.Repeat("ü", history.EventTextMost)
	e, err := s.AppendEvent(ctx, history.Event{At: noon, Kind: history.OOMKill, Subject: long, Detail: "bad \xff byte"})
	if err != nil || len(e.Subject) > history.EventTextMost || !strings.HasSuffix(e.Subject, "ü…") ||
		e.Detail != "bad \uFFFD byte" {
		t.Errorf("a long one: %d bytes, %q, %v", len(e.Subject), e.Detail, err)
	}
	if _, err := s.AppendEvent(ctx, history.Event{At: noon, Kind: "invented"}); !errors.Is(err, ErrRefused) {
		t.Errorf("of no kind: %v", err)
	}
	for i := range 5 {
		for _, instance := range []string{"", "/data"} {
			if _, err := s.AppendEvent(ctx, history.Event{At: noon.Add(time.Duration(i) * time.Hour),
				Kind: history.Restarted, Instance: instance}); err != nil {
				t.Fatal(err)
			}
		}
	}
	host, data, none := "", "/data", "/none"
	for name, c := range map[string]struct {
		f    history.EventFilter
		want int
	}{
		"all":         {history.EventFilter{}, 11},
		"from":        {history.EventFilter{From: noon.Add(3 * time.Hour)}, 4},
		"to":          {history.EventFilter{To: noon.Add(time.Hour)}, 3},
		"the host's":  {history.EventFilter{Instance: &host}, 6},
		"/data's":     {history.EventFilter{Instance: &data}, 5},
		"and host":    {history.EventFilter{Instance: &data, AndHost: true}, 11},
		"of none":     {history.EventFilter{Instance: &none}, 0},
		"kinds":       {history.EventFilter{Kinds: []history.EventKind{history.OOMKill, history.Gap}}, 1},
		"after an id": {history.EventFilter{After: 9}, 2},
		"the newest":  {history.EventFilter{Most: 3}, 3},
	} {
		got, err := s.EventsBetween(ctx, c.f)
		if err != nil || len(got) != c.want {
			t.Errorf("%s: %d of %d, %v", name, len(got), c.want, err)
		}
		for i := 1; i < len(got); i++ {
			if got[i].At.Before(got[i-1].At) {
				t.Errorf("%s: not in the order of time", name)
			}
		}
	}
	// The bound: rows up to it made at once, then some more.
	if _, err := s.db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO event (at, kind, instance, subject, before, after, who, place, detail) SELECT ?, 'restart', '', '', '', `+
		`'', '', '', '' FROM n`, eventsMost, toMS(noon)); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if _, err := s.AppendEvent(ctx, history.Event{At: noon.Add(time.Duration(i) * time.Minute),
			Kind: history.Restarted}); err != nil {
			t.Fatal(err)
		}
	}
	var n int
	if err := s.db.QueryRow("SELECT count(*) FROM event").Scan(&n); err != nil || n > eventsMost+1 {
		t.Errorf("%d events are kept of at most %d: %v", n, eventsMost, err)
	}
	if e := eventsOf(t, s, history.Limited); len(e) != 1 || !strings.Contains(e[0].Detail,
		"older ones are removed") {
		t.Errorf("told: %+v", e)
	}
}

// The watcher's memory is bounded, and outlives it.
func TestRemember(t *testing.T) {
	ctx := context.Background()
	s := openNew(t, Options{})
	for i := range stateMost {
		if err := s.Remember(ctx, "key "+strconv.Itoa(i), []byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Remember(ctx, "one more", []byte("x")); !errors.Is(err, ErrRefused) {
		t.Errorf("one more: %v", err)
	}
	if err := s.Remember(ctx, "key 3", make([]byte, stateBytesMost+1)); !errors.Is(err, ErrRefused) {
		t.Errorf("too long: %v", err)
	}
	if err := s.Remember(ctx, "key 3", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := s.Remember(ctx, "key 4", nil); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"key 3": "new", "key 4": "", "key 5": "\x05", "none": ""} {
		if got, err := s.Recall(ctx, key); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", key, got, err)
		}
	}
	if err := s.Remember(ctx, "one more", []byte("x")); err != nil {
		t.Errorf("after one was forgotten: %v", err)
	}
}
