package host

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// FuzzMapped: no text of dmsetup makes a number below zero or a device without a name.
func FuzzMapped(f *testing.F) {
	seed(f, "dmsetup-status")
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := ParseMapped(b)
		if err != nil {
			return
		}
		for _, m := range list {
			notNegative(t, m.Name, m.Used, m.Total, m.MetaUsed, m.MetaTotal)
			if m.Name == "" || m.Target == "" {
				t.Errorf("no name or target: %+v", m)
			}
		}
	})
}

// FuzzVolumes runs the readers of the other commands about storage.
func FuzzVolumes(f *testing.F) {
	for _, name := range []string{"zfs-get", "lsattr", "tune2fs", "smartctl-scterc", "dmsetup-table-snapshot"} {
		seed(f, name)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := ParseDatasets(b); err == nil {
			for _, d := range list {
				notNegative(t, d.Name, d.RecordSize)
			}
		}
		if list, err := ParseERCs(b); err == nil {
			for _, e := range list {
				notNegative(t, e.Disk, e.Limit)
				if (e.Limit > 0) != (e.Says == "limited") {
					t.Errorf("a limit and no limit: %+v", e)
				}
			}
		}
		if list, err := ParseFileFlags(b); err == nil {
			for _, l := range list {
				if l.Path == "" || l.Path[0] != '/' {
					t.Errorf("no path: %+v", l)
				}
			}
		}
		_, _ = ParseExts(b)
		_, _ = ParseMappedTable(b)
	})
}

// FuzzPackages: no text of a package manager makes a release below 10.0, or a package without a name or of another's.
func FuzzPackages(f *testing.F) {
	seed(f, "apt-cache-policy")
	seed(f, "dnf-list")
	f.Fuzz(func(t *testing.T, b []byte) {
		for manager, parse := range map[string]func([]byte) ([]Package, error){Apt: ParseAptPolicy, DNF: ParseDNFList} {
			list, err := parse(b)
			if err != nil {
				continue
			}
			for _, p := range list {
				if p.Manager != manager || p.Name == "" || p.Lists < 0 {
					t.Errorf("%+v", p)
				}
				for _, v := range []unit.Version{p.Installed, p.Candidate} {
					if v != 0 && (v.Major() < 10 || v.Major() > 99 || v.Minor() > 999) {
						t.Errorf("%s: release %s", p.Name, v)
					}
				}
				if manager == DNF && p.Candidate < p.Installed {
					t.Errorf("%s: %s is older than what is installed", p.Name, p.Candidate)
				}
			}
		}
	})
}

// TestServerPackages: which package a program belongs to, by its directory.
func TestServerPackages(t *testing.T) {
	for dir, want := range map[string]string{"/usr/lib/postgresql/15/bin": "postgresql-15",
		"/usr/pgsql-17/bin": "postgresql17-server", "/usr/bin": "postgresql-server", "/opt/pgpro/std-17/bin": "",
		"/usr/local/pgsql/bin": "", "/usr/lib/postgresql/15": "", "/usr/lib/postgresql/15/bin/": "",
		"/usr/lib/postgresql/x/bin": "", "/home/a/usr/lib/postgresql/15/bin": "", "": ""} {
		name, ok := ServerPackage(dir)
		if ok != (want != "") || ok && name != want {
			t.Errorf("%q: %q, %v", dir, name, ok)
		}
		if m := ManagerOf(name); ok && (m == Apt) != (name == "postgresql-15") {
			t.Errorf("%q: %q", name, m)
		}
	}
}
