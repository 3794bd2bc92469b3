package creation

import (
	"errors"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/tier"
)

var postgres = newcluster.Account{Name: "postgres", Group: "postgres", UID: 26, GID: 26}

// debian is a host with packages of 13, 15 and 17, and rhel one with those of PGDG.
func debian() Site {
	at := Site{Tool: true, Systemd: true, Root: true, Distro: "debian", SocketDir: "/var/run/postgresql",
		Accounts: map[string]newcluster.Account{"postgres": postgres, "root": {Name: "root"}},
		Locales:  known.Is([]string{"C", "C.utf8", "POSIX", "de_DE", "de_DE.utf8", "de_DE.iso88591"}),
		Ports:    map[int]string{5432: "the cluster 15/main is configured for it"},
		Clusters: map[string]string{"15/main": "/var/lib/postgresql/15/main"}}
	for _, v := range []unit.Version{170011, 150019, 130023} {
		at.Programs = append(at.Programs, Programs{Bin: "/usr/lib/postgresql/" + v.String()[:2] + "/bin", Version: v,
			ICU: true, GSS: true, PAM: true})
	}
	return at
}

func rhel() Site {
	at := debian()
	at.Tool, at.RedHat, at.Distro = false, true, "rocky"
	at.Programs = []Programs{{Bin: "/usr/pgsql-18/bin", Version: 180006, ICU: true}}
	return at
}

func with(at Site, change func(*Site)) Site { change(&at); return at }

func prefixes(list ...string) (out []netip.Prefix) {
	for _, n := range list {
		out = append(out, netip.MustParsePrefix(n))
	}
	return out
}

// TestLayRefuses: each refusal with its exit code and words of its message, detail and hint.
func TestLayRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Order
		at   Site
		code int
		says []string
	}{
		{"a dash in the name", Order{Name: "my-db"}, debian(), say.CodeUsage, []string{"my-db", "dash"}},
		{"a path as a name", Order{Name: "../etc"}, debian(), say.CodeUsage, []string{"not a name"}},
		{"a line break in the name", Order{Name: "a\nb"}, debian(), say.CodeUsage, []string{"not a name"}},
		{"no programs", Order{Major: 16}, debian(), say.CodeRefused, []string{"PostgreSQL 16 are not installed",
			"17, 15, 13", "apt install postgresql-16"}},
		{"no programs on RHEL", Order{Major: 16}, rhel(), say.CodeRefused, []string{"dnf install postgresql16-server"}},
		{"no programs on SUSE", Order{Major: 16}, with(debian(), func(s *Site) { s.Distro = "opensuse-leap" }),
			say.CodeRefused, []string{"zypper install postgresql16-server"}},
		{"no programs at all", Order{}, with(debian(), func(s *Site) { s.Programs = nil }), say.CodeRefused,
			[]string{"no server programs were found"}},
		{"a directory without programs", Order{Bin: "/opt/none"}, debian(), say.CodeUsage, []string{"/opt/none",
			"initdb and postgres"}},
		{"1C with a version that it does not support alone", Order{Profile: rule.OneC}, with(debian(), func(s *Site) {
			s.Programs = []Programs{{Bin: "/usr/lib/postgresql/19/bin", Version: 190001}}
		}), say.CodeRefused, []string{"PostgreSQL 18 are not installed", "installed: 19; 1C supports 18",
			"postgresql-18"}},
		{"an old version", Order{Bin: "/opt/12"}, with(debian(), func(s *Site) {
			s.Programs = []Programs{{Bin: "/opt/12", Version: 120022}}
		}), say.CodeRefused, []string{"PostgreSQL 12 is not supported"}},
		{"Debian's tool for other programs", Order{Hand: newcluster.Debian, Bin: "/opt/17"}, with(debian(),
			func(s *Site) {
				s.Programs = []Programs{{Bin: "/opt/17", Version: 170011}}
			}), say.CodeRefused, []string{"pg_createcluster cannot", "--via initdb"}},
		{"Debian's tool without root", Order{Hand: newcluster.Debian}, with(debian(), func(s *Site) { s.Root = false }),
			say.CodeNoAccess, []string{"root"}},
		{"the layout of RHEL elsewhere", Order{Hand: newcluster.RPM}, debian(), say.CodeRefused,
			[]string{"--via initdb"}},
		{"an account that is not there", Order{Owner: "pg"}, debian(), say.CodeRefused, []string{`"pg" does not exist`,
			"useradd"}},
		{"root as the owner", Order{Owner: "root"}, debian(), say.CodeRefused, []string{"does not run as root"}},
		{"a relative directory", Order{DataDir: "srv/pg"}, debian(), say.CodeUsage, []string{"--datadir"}},
		{"a quote in a directory", Order{DataDir: "/srv/it's"}, debian(), say.CodeUsage, []string{"quotes"}},
		{"the root directory", Order{DataDir: "//"}, debian(), say.CodeUsage, []string{"--datadir"}},
		{"WAL in the data directory", Order{DataDir: "/srv/pg", WALDir: "/srv/pg/wal"}, debian(), say.CodeRefused,
			[]string{"contain each other"}},
		{"data in the WAL directory", Order{DataDir: "/srv/pg/data", WALDir: "/srv/pg/"}, debian(), say.CodeRefused,
			[]string{"contain each other"}},
		{"a cluster of that name", Order{Major: 15, Name: "main"}, debian(), say.CodeRefused, []string{"15/main exists",
			"/var/lib/postgresql/15/main"}},
		{"a long socket", Order{Socket: "/" + strings.Repeat("s", 100)}, debian(), say.CodeUsage, []string{"too long"}},
		{"a port in use", Order{Port: 5432}, debian(), say.CodeRefused, []string{"port 5432 is in use", "15/main",
			"--port auto"}},
		{"no port free", Order{}, with(debian(), func(s *Site) {
			s.Ports = map[int]string{}
			for p := firstPort; p < lastPort; p++ {
				s.Ports[p] = "x"
			}
		}), say.CodeRefused, []string{"5432 to 5531"}},
		{"builtin before 17", Order{Major: 15, Name: "a", Locale: Locale{Provider: "builtin"}}, debian(),
			say.CodeRefused, []string{"no locale provider builtin"}},
		{"ICU before 15", Order{Major: 13, Locale: Locale{Provider: "icu"}}, debian(), say.CodeRefused,
			[]string{"cannot use ICU"}},
		{"a build without ICU", Order{Locale: Locale{Provider: "icu"}}, with(debian(), func(s *Site) {
			s.Programs = slices.Clone(s.Programs)
			s.Programs[0].ICU = false
		}), say.CodeRefused, []string{"built without ICU"}},
		{"an unknown provider", Order{Locale: Locale{Provider: "glibc"}}, debian(), say.CodeUsage, []string{"glibc"}},
		{"a locale that is not there", Order{Locale: Locale{Name: "fr_FR.UTF-8"}}, debian(), say.CodeRefused,
			[]string{"fr_FR.UTF-8", "locale-gen"}},
		{"a locale that is not there on RHEL", Order{Locale: Locale{Provider: "libc", Name: "fr_FR.UTF-8"}}, rhel(),
			say.CodeRefused, []string{"glibc-langpack-fr"}},
		{"no C.UTF-8", Order{Major: 13}, with(debian(), func(s *Site) { s.Locales = known.Is([]string{"C", "POSIX"}) }),
			say.CodeRefused, []string{"C.UTF-8", "'locale -a' shows 2"}},
		{"a locale of another encoding", Order{Locale: Locale{Name: "de_DE.iso88591"}}, debian(), say.CodeRefused,
			[]string{"does not fit"}},
		{"a locale without an encoding", Order{Locale: Locale{Name: "de_DE"}}, debian(), say.CodeRefused,
			[]string{"names no encoding", "de_DE.UTF-8"}},
		{"an encoding that is none", Order{Locale: Locale{Encoding: "UTF16"}}, debian(), say.CodeUsage,
			[]string{"UTF16"}},
		{"an encoding of clients alone", Order{Locale: Locale{Encoding: "SJIS"}}, debian(), say.CodeUsage,
			[]string{"SJIS"}},
		{"builtin with another encoding", Order{Locale: Locale{Provider: "builtin", Encoding: "LATIN1"}}, debian(),
			say.CodeRefused, []string{"needs the encoding UTF8"}},
		{"a locale of 18 for 17", Order{Locale: Locale{Provider: "builtin", Name: "PG_UNICODE_FAST"}}, debian(),
			say.CodeRefused, []string{"PG_UNICODE_FAST"}},
		{"ICU with SQL_ASCII", Order{Locale: Locale{Provider: "icu", Encoding: "SQL_ASCII"}}, debian(), say.CodeRefused,
			[]string{"ICU does not support"}},
		{"trust", Order{AuthLocal: "trust"}, debian(), say.CodeRefused, []string{"trust", "superuser"}},
		{"md5", Order{AuthHost: "md5"}, debian(), say.CodeRefused, []string{"deprecated"}},
		{"clear text", Order{AuthHost: "password"}, debian(), say.CodeRefused, []string{"clear text"}},
		{"ldap without options", Order{AuthHost: "ldap"}, debian(), say.CodeRefused, []string{"would not start"}},
		{"peer over TCP", Order{AuthHost: "peer"}, debian(), say.CodeRefused, []string{"--auth-host"}},
		{"a build without GSSAPI", Order{AuthHost: "gss"}, rhel(), say.CodeRefused, []string{"without gss"}},
		{"a socket that nobody gets through", Order{AuthLocal: "scram-sha-256"}, debian(), say.CodeRefused,
			[]string{"nobody could log in", "--ask-password"}},
		{"everybody", Order{Allow: prefixes("0.0.0.0/0")}, debian(), say.CodeRefused, []string{"every address",
			"open-network"}},
		{"half of everybody", Order{Allow: prefixes("10.0.0.0/8", "128.0.0.0/1")}, debian(), say.CodeRefused,
			[]string{"2^31 addresses"}},
		{"passwords in clear text", Order{AuthHost: "pam", Allow: prefixes("10.0.0.0/8")}, debian(), say.CodeRefused,
			[]string{"clear text", "scram-sha-256 or gss"}},
		{"firewalld that does not run", Order{Firewall: Firewalld}, debian(), say.CodeRefused, []string{"firewalld"}},
		{"nft that is not there", Order{Firewall: NFT}, debian(), say.CodeRefused, []string{"nft"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Lay(c.o, c.at)
			wantProblem(t, err, c.code, c.says)
		})
	}
}

func wantProblem(t *testing.T, err error, code int, says []string) {
	t.Helper()
	p, ok := errors.AsType[*say.Problem](err)
	if !ok {
		t.Fatalf("%v is no problem for a person", err)
	}
	all := p.Message.String() + "\n" + p.Detail.String() + "\n" + p.Hint.String()
	if p.Code != code || strings.Contains(p.Message.String(), "\n") {
		t.Errorf("code %d, want %d: %s", p.Code, code, all)
	}
	for _, w := range says {
		if !strings.Contains(all, w) {
			t.Errorf("no %q in\n%s", w, all)
		}
	}
}

// TestRefusesFolders: what is in the way of a directory is named before anything is touched.
func TestRefusesFolders(t *testing.T) {
	l, err := Lay(Order{Name: "a", DataDir: "/srv/pg/a"}, debian())
	if err != nil {
		t.Fatal(err)
	}
	good := Folder{Path: "/srv/pg/a", Missing: []string{"/srv/pg", "/srv/pg/a"}, Type: "ext4", Device: "8:1"}
	sock := Folder{Path: "/var/run/postgresql", Exists: true, Is: true}
	wal := Folder{Path: "/wal/a", Missing: []string{"/wal/a"}, Type: "xfs", Device: "8:2"}
	if err := Refuse(l, good, sock, &wal); err != nil {
		t.Fatal(err)
	}
	there := func(change func(*Folder)) Folder {
		f := Folder{Path: good.Path, Exists: true, Is: true, UID: 26, Type: "ext4", Device: "8:1"}
		change(&f)
		return f
	}
	for name, c := range map[string]struct {
		change func(*Folder)
		says   []string
	}{
		"a file":        {func(f *Folder) { f.Is = false }, []string{"not a directory"}},
		"a mount point": {func(f *Folder) { f.Mount = true }, []string{"mount point", "below it"}},
		"a cluster":     {func(f *Folder) { f.Holds = []string{"PG_VERSION", "base"} }, []string{"database cluster"}},
		"something":     {func(f *Folder) { f.Holds = []string{"lost+found"} }, []string{"not empty", "lost+found"}},
		"tmpfs":         {func(f *Folder) { f.Type = "tmpfs" }, []string{"a reboot empties"}},
		"NFS, soft":     {func(f *Folder) { f.Type, f.Options = "nfs4", []string{"rw", "soft"} }, []string{"soft"}},
		"in others' hands": {func(f *Folder) { f.Led = "/srv belongs to user 1000" },
			[]string{"could be replaced", "user 1000"}},
		"another's":     {func(f *Folder) { f.UID = 1000 }, []string{"belongs to user 1000"}},
		"out of reach":  {func(f *Folder) { f.Closed = "permission denied" }, []string{"cannot get to"}},
		"configuration": {func(f *Folder) { f.Path = "/etc/pg" }, []string{"no place for data"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := there(c.change)
			for _, err := range []error{Refuse(l, f, sock, nil), Refuse(l, good, sock, &f)} {
				wantProblem(t, err, say.CodeRefused, c.says)
				if p, ok := errors.AsType[*say.Problem](err); !ok || p.Hint.IsZero() {
					t.Errorf("no hint: %v", err)
				}
			}
		})
	}
	same := wal
	same.Device = good.Device
	wantProblem(t, Refuse(l, good, sock, &same), say.CodeRefused, []string{"on the filesystem of the data directory"})
	wantProblem(t, Refuse(l, good, Folder{Path: "/s", Exists: true}, nil), say.CodeRefused, []string{"--socket-dir"})
	wantProblem(t, Refuse(l, good, Folder{Path: "/s", Exists: true, Is: true, Shut: "read-only"}, nil), say.CodeRefused,
		[]string{"cannot make a socket", "read-only"})
	wantProblem(t, Refuse(l, good, Folder{Path: "/home/eve/s", Led: "/home/eve belongs to user 1000"}, nil),
		say.CodeRefused, []string{"could be replaced", "user 1000"})
	if err := Refuse(l, good, Folder{Path: "/tmp", Exists: true, Is: true, Led: "everybody", Shared: true},
		nil); err != nil {
		t.Error(err)
	}
	small := good
	small.Total, small.Free = 10*unit.GB, 2*unit.GB
	wantProblem(t, l.Room(small, nil, unit.GB), say.CodeRefused, []string{"2 GB free", "3 GB are needed",
		"--datadir"})
	wantProblem(t, l.Room(good, &small, 2*unit.GB), say.CodeRefused, []string{"--waldir"})
	if err := errors.Join(l.Room(small, &wal, unit.GB), l.Room(good, nil, unit.TB)); err != nil {
		t.Error(err) // enough, and unknown
	}
}

// TestOneC: its profile chooses the newest version that it supports; a later one has to be named, and is warned of.
func TestOneC(t *testing.T) {
	at := with(debian(), func(s *Site) {
		s.Programs = slices.Insert(slices.Clone(s.Programs), 0,
			Programs{Bin: "/usr/lib/postgresql/19/bin", Version: 190001, ICU: true})
	})
	for name, c := range map[string]struct {
		order Order
		major int
	}{
		"1C":             {Order{Profile: rule.OneC}, 17},
		"another":        {Order{Profile: rule.OLTP}, 19},
		"1C, named":      {Order{Profile: rule.OneC, Major: 19}, 19},
		"1C, programs":   {Order{Profile: rule.OneC, Bin: "/usr/lib/postgresql/19/bin"}, 19},
		"another, named": {Order{Profile: rule.Mixed, Major: 15}, 15},
	} {
		t.Run(name, func(t *testing.T) {
			c.order.Name = "a"
			p := made(t, c.order, at, nil)
			warned := slices.ContainsFunc(p.Warnings, func(w say.Message) bool {
				return strings.Contains(w.String(), "standard_conforming_strings")
			})
			if p.Version != c.major || warned != (c.order.Profile == rule.OneC && c.major == 19) {
				t.Errorf("%d, warned: %v", p.Version, warned)
			}
		})
	}
}

// TestLay: what is chosen where nothing is asked for.
func TestLay(t *testing.T) {
	l, err := Lay(Order{Name: "a"}, debian())
	if err != nil {
		t.Fatal(err)
	}
	if l.Major != 17 || l.Hand != newcluster.Debian || l.Port != 5433 || l.Data != "/var/lib/postgresql/17/a" ||
		l.Config != "/etc/postgresql/17/a" || l.Unit != "postgresql@17-a.service" || l.Socket != "/var/run/postgresql" {
		t.Errorf("%+v", l)
	}
	l, err = Lay(Order{}, rhel())
	if err != nil {
		t.Fatal(err)
	}
	if l.Hand != newcluster.RPM || l.Data != "/var/lib/pgsql/18/main" || l.Config != l.Data ||
		l.UnitFile != "/etc/systemd/system/postgresql-18-main.service" {
		t.Errorf("%+v", l)
	}
}

// TestLocales: never SQL_ASCII or LATIN1 by accident, whatever the host has and whatever is left open.
func TestLocales(t *testing.T) {
	for _, have := range []known.Fact[[]string]{known.Is([]string{"C", "POSIX"}), debian().Locales,
		known.Without[[]string](known.Unread, known.Gap{Fact: "locales", Reason: "no locale"})} {
		for _, major := range params.Majors() {
			for _, provider := range []string{"", "libc", "icu", "builtin"} {
				for _, name := range []string{"", "C", "POSIX", "C.UTF-8", "de_DE", "de_DE.utf8", "de_DE.iso88591",
					"und"} {
					at := with(debian(), func(s *Site) {
						s.Locales = have
						s.Programs = []Programs{{Bin: "/opt", Version: unit.Version(major * 10000), ICU: true}}
					})
					l, err := Lay(Order{Name: "a", Locale: Locale{Provider: provider, Name: name}}, at)
					if err != nil {
						continue
					}
					args := strings.Join(l.Locale.initdb(major), " ")
					if !strings.Contains(args, "--encoding=UTF8") || !strings.Contains(args, "--lc-messages=C") ||
						strings.Contains(args, "--locale=de_DE.iso") || strings.Contains(args, "--locale=de_DE ") {
						t.Errorf("%d, %q %q: %s", major, provider, name, args)
					}
				}
			}
		}
	}
	for asked, want := range map[string]string{"utf-8": "UTF8", "unicode": "UTF8", "latin9": "LATIN9",
		"Win-1252": "WIN1252"} {
		l, err := Lay(Order{Name: "a", Locale: Locale{Provider: "libc", Name: "C", Encoding: asked}}, debian())
		if err != nil || l.Locale.Encoding != want {
			t.Errorf("%s: %s, %v", asked, l.Locale.Encoding, err)
		}
	}
}

// TestSegments: an own size wins, and large WAL gets large segments.
func TestSegments(t *testing.T) {
	for _, c := range []struct{ asked, wal, want unit.Bytes }{{0, unit.GB, 16 * unit.MB},
		{0, 32 * unit.GB, 64 * unit.MB},
		{0, 32*unit.GB - 1, 16 * unit.MB}, {128 * unit.MB, unit.GB, 128 * unit.MB}} {
		if got := SegmentOf(Order{Segment: c.asked}, c.wal); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// made puts a plan together without rules.
func made(t *testing.T, o Order, at Site, wal *Folder) *Plan {
	t.Helper()
	l, err := Lay(o, at)
	if err != nil {
		t.Fatal(err)
	}
	data := Folder{Path: l.Data, Missing: []string{filepath.Dir(l.Data), l.Data}}
	sock := Folder{Path: l.Socket, Exists: true, Is: true}
	p, err := Make(l, "0123456789abcdef", data, sock, wal, &plan.Plan{Profile: "oltp"}, nil, unit.GB)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLoads: the description of a cluster that a plan makes is one that a journal is read with.
func TestLoads(t *testing.T) {
	for _, o := range []Order{{Name: "a"}, {Name: "a", Major: 13, Group: true, NoChecksums: true, Password: true},
		{Name: "a", Hand: newcluster.InitDB, DataDir: "/srv/a b", WALDir: "/wal/a", Allow: prefixes("10.0.0.0/8")}} {
		p := made(t, o, debian(), nil)
		again, err := newcluster.Parse(p.Spec.Text())
		if err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(p.Spec, again); d != "" {
			t.Error(d)
		}
	}
}

// TestUnits: systemd takes the units, where its verifier is installed.
func TestUnits(t *testing.T) {
	p := made(t, Order{Hand: newcluster.InitDB, DataDir: "/srv/a b/13", Name: "a", Socket: "/run/pg", Major: 13,
		Kernel: true, Layers: []string{LayerStats}}, debian(), &Folder{Path: "/wal/a"})
	var text string
	for _, s := range p.Steps {
		if s.Content != "" {
			text = s.Content
		}
	}
	for _, line := range []string{"Type=notify\n", "OOMScoreAdjust=-900\n", "KillMode=mixed\n", "TimeoutStopSec=1h\n",
		"RequiresMountsFor=", "LimitNOFILE=65536\n", "RuntimeDirectory=pg\n", "WantedBy=multi-user.target\n",
		"PG_OOM_ADJUST_VALUE=0", "TemporaryFileSystem=\"/srv/a b/13/pg_stat_tmp:mode=0700,uid="} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		tier.Missing(t, tier.System, "%v", err) // the lines above were held
	}
	// the programs and the account are not of this machine
	text = strings.NewReplacer("/usr/lib/postgresql/13/bin/postgres", "/bin/true", "User=postgres", "User=daemon",
		"Group=postgres", "").Replace(text)
	at := filepath.Join(t.TempDir(), "postgresql-17-a.service")
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(verify, "verify", "--man=no", at)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), at) {
		t.Errorf("%v: %s\n%s", err, out, text)
	}
}

// TestFirewallValues: a value is read as it is written, and nothing else is read.
func TestFirewallValues(t *testing.T) {
	l := Layout{Order: Order{Allow: prefixes("10.0.0.0/8", "fd00::/16")}, Firewall: NFT, Port: 5432}
	f, list, err := ParseFirewall(l.firewallValue())
	if err != nil || f != NFT || !slices.Equal(list, l.Order.Allow) {
		t.Errorf("%s %v %v", f, list, err)
	}
	for _, bad := range []string{"", "nft", "none 10.0.0.0/8", "nft 10.0.0.0", "firewalld 10.0.0.0/8,",
		"nft x;flush ruleset"} {
		if _, _, err := ParseFirewall(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	l.Firewall = Print
	lines := l.openings()
	for i, line := range lines {
		if i == len(l.Order.Allow) { // what the permanent rules before it need
			if line != "firewall-cmd --reload" {
				t.Error(line)
			}
		} else if !strings.Contains(line, "5432") {
			t.Error(line)
		}
	}
	if n := len(lines); n != 7 {
		t.Errorf("%d lines", n)
	}
}

// TestStatisticsInMemory: only where it is asked for, where there is a collector, and where a unit of ours can do it.
func TestStatisticsInMemory(t *testing.T) {
	for name, c := range map[string]struct {
		order Order
		want  bool
	}{
		"all of the host": {Order{Hand: newcluster.InitDB, Major: 13, Kernel: true}, true},
		"that alone": {Order{Hand: newcluster.InitDB, Major: 13, Kernel: true, Layers: []string{LayerStats}},
			true},
		"nothing": {Order{Hand: newcluster.InitDB, Major: 13}, false},
		"another part": {Order{Hand: newcluster.InitDB, Major: 13, Kernel: true, Layers: []string{LayerTHP}},
			false},
		"without collector": {Order{Hand: newcluster.InitDB, Major: 15, Kernel: true}, false},
		"of Debian":         {Order{Hand: newcluster.Debian, Major: 13, Kernel: true}, false},
		"a colon":           {Order{Hand: newcluster.InitDB, Major: 13, Kernel: true, DataDir: "/srv/a:b"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.order.Name = "a"
			p, got := made(t, c.order, debian(), nil), false
			for _, s := range p.Steps {
				got = got || strings.Contains(s.Content, "pg_stat_tmp")
			}
			if got != c.want {
				t.Errorf("it is in memory: %v", got)
			}
		})
	}
}
