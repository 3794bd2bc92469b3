package creation

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// spaced is a standby whose primary has tablespaces of 2 GB and of unknown size, in all 3 GB, with directories for
// them.
func spaced(t *testing.T) (l Layout, data Folder, spaces []Folder) {
	t.Helper()
	l, err := Lay(Order{Name: "copy", Primary: primary(func(p *Primary) {
		p.Tablespaces = []Space{{"/fast", known.Is(2 * unit.GB)},
			{"/slow", known.Missed[unit.Bytes](known.Gap{Fact: "x"})}}
	}), Tablespaces: []newcluster.Mapping{{Old: "/fast", New: "/ssd/fast"}, {Old: "/slow", New: "/srv/slow"}}},
		copying())
	if err != nil {
		t.Fatal(err)
	}
	data = Folder{Path: l.Data, Missing: []string{l.Data}, Device: "8:1", Total: 100 * unit.GB, Free: 50 * unit.GB}
	fast := Folder{Path: "/mnt/ssd/fast", Missing: []string{"/mnt/ssd/fast"}, Device: "8:2", Total: 100 * unit.GB,
		Free: 50 * unit.GB}
	slow := Folder{Path: "/srv/slow", Missing: []string{"/srv/slow"}, Device: "8:1", Total: 100 * unit.GB}
	return l, data, []Folder{fast, slow}
}

// TestSpaces: the directories are made for the owner, named to pg_basebackup with their links followed, and mounted
// before the server starts.
func TestSpaces(t *testing.T) {
	l, data, spaces := spaced(t)
	l.Unit, l.UnitFile = "postgresql-17-copy.service", "/etc/systemd/system/postgresql-17-copy.service"
	if err := l.RefuseSpaces(data, nil, spaces); err != nil {
		t.Fatal(err)
	}
	p, err := Make(l, "0123456789abcdef", data, Folder{}, nil, &plan.Plan{}, nil, unit.GB)
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	mounts := ""
	for _, s := range p.Steps {
		if dir, ok := strings.CutPrefix(string(s.Address), "dir:"); ok {
			made = append(made, dir+" "+s.To)
		}
		mounts += s.Content
	}
	for _, want := range []string{"/mnt/ssd/fast 0700 26:26", "/srv/slow 0700 26:26"} {
		if !slices.Contains(made, want) {
			t.Errorf("no %q among %q", want, made)
		}
	}
	if !strings.Contains(mounts, "RequiresMountsFor="+l.Data+" /mnt/ssd/fast /srv/slow\n") {
		t.Error(mounts)
	}
	if argv := p.Spec.Copy(false); !slices.Contains(argv, "--tablespace-mapping=/fast=/mnt/ssd/fast") ||
		!slices.Contains(argv, "--tablespace-mapping=/slow=/srv/slow") {
		t.Errorf("%q", argv)
	}
	if again, err := newcluster.Parse(p.Spec.Text()); err != nil || len(again.Standby.Spaces()) != 2 {
		t.Errorf("%+v, %v", again.Standby, err)
	}
}

// TestRefusesSpaces: the directory of a tablespace is held to what a data directory is held to, and to the others.
func TestRefusesSpaces(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *Folder)
		says   []string
	}{
		"something in it": {func(f *Folder) { f.Exists, f.Is, f.Holds = true, true, []string{"a"} },
			[]string{"not empty"}},
		"a mount point": {func(f *Folder) { f.Exists, f.Is, f.Mount = true, true, true }, []string{"mount point"}},
		"in memory":     {func(f *Folder) { f.Type = "tmpfs" }, []string{"tmpfs"}},
		"another's":     {func(f *Folder) { f.Led = "user 7" }, []string{"user 7"}},
		"in the data directory": {func(f *Folder) { f.Path = "/var/lib/postgresql/17/copy/fast" },
			[]string{"contain each"}},
		"around it":          {func(f *Folder) { f.Path = "/var/lib" }, []string{"contain each"}},
		"in that of the WAL": {func(f *Folder) { f.Path = "/wal/a/fast" }, []string{"contain each", "/wal/a"}},
		"in another one":     {func(f *Folder) { f.Path = "/srv/slow/x" }, []string{"contain each", "/srv/slow"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, data, spaces := spaced(t)
			c.change(&spaces[0])
			wantProblem(t, l.RefuseSpaces(data, &Folder{Path: "/wal/a"}, spaces), say.CodeRefused, c.says)
		})
	}
}

// TestSpacesRoom: what goes to another device has to fit there, and need not fit beside the data.
func TestSpacesRoom(t *testing.T) {
	l, data, spaces := spaced(t)
	if err := l.RefuseSpaces(data, nil, spaces); err != nil {
		t.Fatal(err)
	}
	data.Free = 3 * unit.GB // 1 GB of the primary, 1 GB for the data, and the WAL
	if err := l.Room(data, nil, unit.GB); err != nil {
		t.Error(err)
	}
	spaces[0].Free = 2*unit.GB - 1
	wantProblem(t, l.Room(data, nil, unit.GB), say.CodeRefused, []string{"/mnt/ssd/fast", "2 GB are needed",
		"--tablespace-mapping"})
	spaces[0].Free, spaces[0].Device = unit.TB, data.Device
	wantProblem(t, l.Room(data, nil, unit.GB), say.CodeRefused, []string{"4 GB are needed", "--datadir"})
}
