package creation

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// described is a host without swap but for what its words say.
func described(t *testing.T, words string) *snapshot.Snapshot {
	t.Helper()
	a, err := snapshot.Describe("ram=16GB,cpus=8,storage=ssd,pg=17" + words)
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// place is one that a swap file may have.
func place() SwapPlace {
	return SwapPlace{Path: "/swapfile", Type: "ext4", Device: "8:1", Free: 40 * unit.GB, Total: 100 * unit.GB}
}

// TestSwapSize: a quarter of the memory within its limits, in whole gigabytes.
func TestSwapSize(t *testing.T) {
	for memory, want := range map[unit.Bytes]unit.Bytes{512 * unit.MB: unit.GB, 4 * unit.GB: unit.GB,
		8*unit.GB - 200*unit.MB: 2 * unit.GB, 16 * unit.GB: 4 * unit.GB, 128 * unit.GB: 4 * unit.GB,
		256 * unit.GB: 8 * unit.GB, 24 * unit.TB: 8 * unit.GB} {
		if got, _ := SwapSize(memory); got != want {
			t.Errorf("%s: %s, want %s", memory, got, want)
		}
	}
}

// TestSwapRefuses: a host or a place on which no swap file can be, with the words of the message and the hint.
func TestSwapRefuses(t *testing.T) {
	asked := Order{Kernel: true, Layers: []string{LayerSysctl, LayerSwap}}
	for name, c := range map[string]struct {
		words  string
		at     func(*Site)
		place  func(*SwapPlace)
		change func(*snapshot.Snapshot)
		code   int
		says   []string
	}{
		"a container": {words: ",container=docker", says: []string{"in a container (docker)", "explain swap-file"}},
		"no root":     {at: func(s *Site) { s.Root = false }, code: say.CodeNoAccess, says: []string{"only root"}},
		"no path": {place: func(p *SwapPlace) { p.Path = "/a b" }, code: say.CodeUsage,
			says: []string{`"/a b"`, "--swap-file"}},
		"one that is not in use": {place: func(p *SwapPlace) { p.InFstab = "UUID=1" },
			says: []string{"UUID=1", "swapon -a"}},
		"no directory":  {place: func(p *SwapPlace) { p.Path, p.NoDir = "/a/b", true }, says: []string{"/a does not"}},
		"a file there":  {place: func(p *SwapPlace) { p.Exists = true }, says: []string{"/swapfile exists"}},
		"another's way": {place: func(p *SwapPlace) { p.Led = "/srv belongs to user 7" }, says: []string{"user 7"}},
		"btrfs":         {place: func(p *SwapPlace) { p.Type = "btrfs" }, says: []string{"on btrfs", "ext4", "xfs"}},
		"zfs":           {place: func(p *SwapPlace) { p.Type = "zfs" }, says: []string{"on zfs", "--swap-file"}},
		"tmpfs":         {place: func(p *SwapPlace) { p.Type = "tmpfs" }, says: []string{"on tmpfs"}},
		"overlay":       {place: func(p *SwapPlace) { p.Type = "overlay" }, says: []string{"on overlay"}},
		"nfs":           {place: func(p *SwapPlace) { p.Type = "nfs4" }, says: []string{"on nfs4"}},
		"no filesystem": {place: func(p *SwapPlace) { p.Type = "" }, says: []string{"is unknown"}},
		"no mkswap":     {place: func(p *SwapPlace) { p.Lacks = "mkswap" }, says: []string{"mkswap", "util-linux"}},
		"unknown swap": {change: func(s *snapshot.Snapshot) {
			s.Host.Swaps = known.Without[[]host.Swap](known.Unread, known.Gap{Fact: "swap", Reason: "x"})
		}, says: []string{"unknown whether"}},
		"unknown memory": {change: func(s *snapshot.Snapshot) {
			s.Host.Memory = known.Without[host.Memory](known.Unread, known.Gap{Fact: "memory", Reason: "x"})
		}, says: []string{"memory of this host is unknown"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, at, p := described(t, c.words), debian(), place()
			if c.at != nil {
				c.at(&at)
			}
			if c.place != nil {
				c.place(&p)
			}
			if c.change != nil {
				c.change(s)
			}
			if c.code == 0 {
				c.code = say.CodeRefused
			}
			w, note, err := SwapFor(asked, s, at, p)
			wantProblem(t, err, c.code, c.says)
			if w != nil || !note.IsZero() {
				t.Errorf("%+v, %s", w, note)
			}
			// what was not asked for is not refused, and not offered either
			if w, note, err := SwapFor(Order{Kernel: true}, s, at, p); w != nil || !note.IsZero() || err != nil {
				t.Errorf("not asked for: %+v, %s, %v", w, note, err)
			}
		})
	}
}

// TestSwapFor: only where it is named and the host has none; where it would help it is offered.
func TestSwapFor(t *testing.T) {
	for name, c := range map[string]struct {
		order Order
		words string
		made  bool
		note  string
	}{
		"named":        {order: Order{Kernel: true, Layers: []string{LayerSwap}}, made: true},
		"all":          {order: Order{Kernel: true}, note: "a swap file of 4 GB"},
		"another part": {order: Order{Kernel: true, Layers: []string{LayerTHP}}},
		"swap there": {order: Order{Kernel: true, Layers: []string{LayerSwap}}, words: ",swap=2GB",
			note: "has 2 GB"},
		"all, and there": {order: Order{Kernel: true}, words: ",swap=2GB"},
	} {
		t.Run(name, func(t *testing.T) {
			w, note, err := SwapFor(c.order, described(t, c.words), debian(), place())
			if err != nil || (w != nil) != c.made || (c.note == "") != note.IsZero() ||
				!strings.Contains(note.String(), c.note) {
				t.Errorf("%+v, %q, %v", w, note, err)
			}
			if w != nil && w.Size != 4*unit.GB {
				t.Errorf("it has %s", w.Size)
			}
		})
	}
}

// TestSwapRoom: what the instance may write stays free, and the WAL has its device for itself.
func TestSwapRoom(t *testing.T) {
	w := &Swap{Place: place(), Size: 4 * unit.GB}
	same, other := Folder{Path: "/srv/pg", Device: "8:1"}, Folder{Path: "/srv/pg", Device: "8:2"}
	primary := &Primary{Bytes: known.Is(20 * unit.GB)}
	for name, c := range map[string]struct {
		free    unit.Bytes
		data    Folder
		wal     *Folder
		primary *Primary
		says    string
	}{
		"room beside the data":  {free: 13 * unit.GB, data: same, says: ""}, // 4, 1, 2 × 1, 5
		"too little beside it":  {free: 12*unit.GB - 1, data: same, says: "12 GB are needed"},
		"room on its own":       {free: 9 * unit.GB, data: other},
		"too little on its own": {free: 9*unit.GB - 1, data: other, says: "9 GB are needed"},
		"WAL elsewhere":         {free: 10 * unit.GB, data: same, wal: &Folder{Path: "/wal", Device: "8:3"}},
		"on the device of the WAL": {free: 40 * unit.GB, data: other, wal: &Folder{Path: "/wal", Device: "8:1"},
			says: "/wal"},
		"too little for a copy":     {free: 32*unit.GB - 1, data: same, primary: primary, says: "32 GB are needed"},
		"room for a copy":           {free: 32 * unit.GB, data: same, primary: primary},
		"a copy on another device":  {free: 9 * unit.GB, data: other, primary: primary},
		"its free space is unknown": {data: other},
	} {
		t.Run(name, func(t *testing.T) {
			at := *w
			if at.Place.Free = c.free; c.free == 0 {
				at.Place.Total = 0
			}
			err := SwapRoom(&at, c.data, c.wal, unit.GB, c.primary)
			if c.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantProblem(t, err, say.CodeRefused, []string{c.says, "--swap-file"})
		})
	}
	if err := SwapRoom(nil, same, nil, unit.GB, nil); err != nil {
		t.Error(err)
	}
}

// TestSwapSteps: the file comes before all that counts it, and its reason says what the commit limit makes of it.
func TestSwapSteps(t *testing.T) {
	kbytes := plan.Change{Address: knob.Sysctl("vm.overcommit_kbytes"), To: "1"}
	strict := plan.Change{Address: knob.Sysctl("vm.overcommit_memory"), To: "2"}
	for name, c := range map[string]struct {
		mode    string
		changes []plan.Change
		says    string
	}{
		"heuristic":       {"0", nil, "OOM killer is the first sign"},
		"unknown":         {"", nil, "OOM killer is the first sign"},
		"strict":          {"2", nil, "commit limit grows"},
		"becomes strict":  {"0", []plan.Change{kbytes, strict}, "planned commit limit includes it"},
		"stays strict":    {"2", []plan.Change{kbytes}, "planned commit limit includes it"},
		"no longer so":    {"2", []plan.Change{{Address: strict.Address, To: "0"}}, "OOM killer is the first sign"},
		"limit, not mode": {"0", []plan.Change{kbytes}, "OOM killer is the first sign"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Lay(Order{Name: "a", Kernel: true, Layers: []string{LayerSysctl, LayerSwap}}, debian())
			if err != nil {
				t.Fatal(err)
			}
			l.Swap = &Swap{Place: place(), Size: 4 * unit.GB, Memory: 16 * unit.GB, Mode: c.mode}
			p, err := Make(l, "0123456789abcdef", Folder{Path: l.Data}, Folder{Path: l.Socket}, nil,
				&plan.Plan{Changes: c.changes}, nil, unit.GB)
			if err != nil {
				t.Fatal(err)
			}
			first, rest := p.Split()
			if len(first) != 2 || len(rest) != len(p.Steps)-2 || first[0].Address != "swapfile:/swapfile" ||
				first[1].Address != "swap:/swapfile" || first[1].To != newcluster.InUse {
				t.Fatalf("%+v", first)
			}
			w, err := newcluster.ParseSwap(first[0].To)
			if err != nil || w.Size != 4*unit.GB || w.UUID != "01234567-89ab-cdef-7067-666574746c65" {
				t.Errorf("%+v, %v", w, err)
			}
			for _, says := range []string{c.says, "25% of 16 GB RAM", "/swapfile of 4 GB"} {
				if !strings.Contains(first[0].Text.String(), says) {
					t.Errorf("no %q in %s", says, first[0].Text)
				}
			}
		})
	}
}

// TestSwapIsCounted: the rules see the swap that will be there, and the snapshot of the host stays as it was.
func TestSwapIsCounted(t *testing.T) {
	s := described(t, "")
	before, _ := s.Host.Memory.Get()
	l := Layout{Major: 17, Data: "/srv/pg/17/b", Port: 5433, Swap: &Swap{Place: place(), Size: 4 * unit.GB}}
	next := Beside(s, l, Folder{Path: "/srv/pg/17/b"}, nil)
	now, _ := next.Host.Memory.Get()
	swaps, _ := next.Host.Swaps.Get()
	if now.SwapTotal != 4*unit.GB || now.CommitLimit != before.CommitLimit+4*unit.GB || len(swaps) != 1 ||
		now.Lines["SwapTotal"] != 4*unit.GB {
		t.Errorf("swap %s, limit %s, %+v", now.SwapTotal, now.CommitLimit, swaps)
	}
	same, _ := s.Host.Memory.Get()
	if none, _ := s.Host.Swaps.Get(); same.Lines["SwapTotal"] != 0 || len(none) != 0 {
		t.Errorf("the host has %s, %+v", same.Lines["SwapTotal"], none)
	}
}
