package collect

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// diskHost is a tree with a disk sda and its partition sda1, 8:1.
func diskHost(t *testing.T) (root string, host *target.Local) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{
		"sys/devices/pci0/sda/dev": "8:0\n", "sys/devices/pci0/sda/size": "1000000\n",
		"sys/devices/pci0/sda/device/model": "MODEL A\n", "sys/devices/pci0/sda/device/wwid": "naa.5000\n",
		"sys/devices/pci0/sda/sda1/dev": "8:1\n", "sys/devices/pci0/sda/sda1/partition": "1\n",
		"sys/devices/pci0/sda/sda1/size": "900000\n", "sys/devices/pci0/sda/sda1/start": "2048\n",
		"proc/sys/kernel/osrelease":                                       "6.1.0-18-amd64\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
	} {
		writeTree(t, root, name, text)
	}
	if err := os.MkdirAll(filepath.Join(root, "sys/dev/block"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"8:0": "../../devices/pci0/sda", "8:1": "../../devices/pci0/sda/sda1"} {
		if err := os.Symlink(to, filepath.Join(root, "sys/dev/block", link)); err != nil {
			t.Fatal(err)
		}
	}
	return root, &target.Local{Root: root}
}

func writeTree(t *testing.T, root, name, text string) {
	t.Helper()
	at := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestIdentity: what distinguishes a disk from another one changes it, and nothing else.
func TestIdentity(t *testing.T) {
	root, host := diskHost(t)
	name, id := Identity(host, "8:1")
	if name != "sda1" || len(id) != 32 {
		t.Fatalf("%q %q", name, id)
	}
	if _, disk := Identity(host, "8:0"); disk == id || disk == "" {
		t.Errorf("the disk %q is not its partition %q", disk, id)
	}
	for _, device := range []string{"", "0:45", "8:7", "../x", "8:1/.."} {
		if n, other := Identity(host, device); n != "" || other != "" {
			t.Errorf("%q: %q %q", device, n, other)
		}
	}
	writeTree(t, root, "sys/devices/pci0/sda/stat", "1 2 3\n")
	if _, same := Identity(host, "8:1"); same != id {
		t.Error("counters make another disk of it")
	}
	writeTree(t, root, "sys/devices/pci0/sda/device/wwid", "naa.6000\n")
	if _, other := Identity(host, "8:1"); other == id {
		t.Error("another disk with the same number is taken for the old one")
	}
}

// TestLatestProbe: of each part the latest that still belongs to this machine.
func TestLatestProbe(t *testing.T) {
	root, host := diskHost(t)
	_, id := Identity(host, "8:1")
	now := time.Now()
	put := func(days int, change func(*measured.Probe)) {
		at := now.AddDate(0, 0, -days)
		p := measured.Probe{Schema: measured.Schema, TakenAt: at.Unix(), Kernel: "6.1.0-13-amd64", Clock: "tsc",
			Missing: []known.Gap{{Fact: "x", Reason: "/secret"}},
			Disks: []measured.Disk{{Device: "8:1", Identity: id, Places: []string{"/secret"},
				Roles: []string{"data"}}}}
		change(&p)
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		writeTree(t, root, "measured/"+at.UTC().Format("20060102T150405Z")+".json", string(b))
	}
	flush := func(rate float64) *measured.Flush {
		return &measured.Flush{By: "x", Fsync: measured.Fsync{
			One: []measured.Rate{{Name: "fdatasync", PerSecond: rate}}}}
	}
	timing := func(ns float64) *measured.TimingRun {
		return &measured.TimingRun{By: "x", Timing: measured.Timing{Clocks: []measured.Clock{{LoopNanos: ns}}}}
	}
	latest := func() *measured.Probe {
		return newCollector(host, Request{Measured: []string{"/nowhere", "/measured"}}).latest()
	}
	if p := latest(); p != nil {
		t.Fatalf("of nothing: %+v", p)
	}
	put(91, func(p *measured.Probe) { p.Disks[0].Flush = flush(1) })
	put(80, func(p *measured.Probe) { p.Kernel = "5.10.0"; p.Disks[0].Flush = flush(2) })
	if p := latest(); p != nil {
		t.Fatalf("too old, or of another kernel: %+v", p)
	}
	put(70, func(p *measured.Probe) { p.Disks[0].Flush = flush(3); p.Timing = timing(30) })
	put(60, func(p *measured.Probe) { p.Clock = "hpet"; p.Timing = timing(900) })
	put(50, func(p *measured.Probe) { p.Disks[0].Identity = "another disk"; p.Disks[0].Flush = flush(4) })
	put(40, func(p *measured.Probe) {
		p.Disks[0].Reads = &measured.Reads{By: "fio", Random: []measured.Random{{Depth: 1, PerSecond: 5}}}
	})
	put(-3, func(p *measured.Probe) { p.Disks[0].Flush = flush(6) })
	writeTree(t, root, "measured/99999999T000000Z.json", "{")
	p := latest()
	if p == nil || len(p.Disks) != 1 {
		t.Fatalf("%+v", p)
	}
	d := p.Disks[0]
	if d.Flush == nil || d.Flush.Fsync.One[0].PerSecond != 3 || d.Reads == nil || p.Timing == nil ||
		p.Timing.Timing.Clocks[0].LoopNanos != 30 {
		t.Errorf("of each part the latest: %+v %+v %+v", d, d.Flush, p.Timing)
	}

	// What goes into the evidence has no paths, and only disks under places.
	c := newCollector(host, Request{Measured: []string{"/measured"}})
	c.measured([]*instance{{places: []snapshot.Place{{Device: "8:1"}}}})
	b, err := c.a.ReadFile(measured.File)
	if err != nil {
		t.Fatal(err)
	}
	got := measured.Read(c.a)
	if v, ok := got.Get(); !ok || len(v.Disks) != 1 || len(v.Missing) != 0 || v.Disks[0].Places != nil {
		t.Errorf("%s", b)
	}
	if redacted, err := c.a.Redact().ReadFile(measured.File); err != nil || string(redacted) != string(b) {
		t.Errorf("redaction: %v %s", err, redacted)
	}
	c = newCollector(host, Request{Measured: []string{"/measured"}})
	c.measured(nil)
	if v, ok := measured.Read(c.a).Get(); !ok || len(v.Disks) != 0 {
		t.Errorf("no place lies on it: %+v", v)
	}
	c = newCollector(host, Request{})
	c.measured(nil)
	if _, err := c.a.ReadFile(measured.File); err == nil || measured.Read(c.a).State() != known.Absent {
		t.Errorf("nobody asked for it: %v", err)
	}
}

// The data of a history go into the evidence; having none is no gap, an unreadable one is.
func TestHistory(t *testing.T) {
	host := fakeOf(t, oneServer)
	take := func(p *history.Peaks, err error) *evidence.Archive {
		c := newCollector(host, Request{History: func(context.Context) (*history.Peaks, error) { return p, err }})
		c.query = func(context.Context, *evidence.Archive, string, pgclient.Connect, bool) (pgclient.Session, error) {
			return pgclient.Session{}, nil
		}
		a, err := c.run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	p := &history.Peaks{Schema: history.Schema, Span: history.Span{From: 1, To: 90001, Days: 1},
		Instances: []history.Instance{{Instance: "/srv/b", Active: &history.Peak{Value: 34, At: 7}}}}
	s, err := snapshot.Read(take(p, nil))
	if err != nil {
		t.Fatal(err)
	}
	if h, ok := s.History.Get(); !ok || h.Days != 1 {
		t.Errorf("of the host: %+v", s.History)
	}
	if h, ok := s.Instances[0].History.Get(); !ok || h.Active == nil || h.Active.Value != 34 {
		t.Errorf("of %s: %+v", s.Instances[0].Label(), s.Instances[0].History)
	}
	if s, err = snapshot.Read(take(nil, nil)); err != nil || s.History.Known() || s.Instances[0].History.Known() {
		t.Errorf("none: %+v, %v", s.History, err)
	}
	if s, err = snapshot.Read(take(nil, errors.New("it is damaged"))); err != nil ||
		s.History.Gap().Reason != "it is damaged" {
		t.Errorf("damaged: %+v, %v", s.History.Gap(), err)
	}
}
