package tablespaces_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// fit is a place and a server that nothing is wrong with.
func fit() (tablespaces.Wanted, tablespaces.Site, tablespaces.Server) {
	return tablespaces.Wanted{Name: "archive"},
		tablespaces.Site{Asked: "/srv/hdd/pg", To: "/srv/hdd/pg", Parent: "/srv/hdd", InFstab: true,
			Free:      100 * unit.GB,
			Mount:     host.Mount{Point: "/srv/hdd", FSType: "ext4", Source: "/dev/sdb1"},
			DataMount: host.Mount{Point: "/", FSType: "ext4", Source: "/dev/sda1"}},
		tablespaces.Server{Label: "/data", Data: "/data", WAL: "/wal/pg", UID: 26, Major: 17, Role: "postgres",
			Super:  true,
			Spaces: []tablespaces.Place{{Name: "pg_default"}, {Name: "old", Dir: "/srv/hdd/old"}}, ClusterWide: true}
}

// TestCreateRefusals: each thing that is wrong is refused alone, with its exit code and a hint.
func TestCreateRefusals(t *testing.T) {
	type world struct {
		w *tablespaces.Wanted
		s *tablespaces.Site
		v *tablespaces.Server
	}
	exists := func(x world) { x.s.Exists, x.s.Directory, x.s.UID = true, true, 26 }
	for want, c := range map[string]struct {
		code int
		spin func(world)
	}{
		"is not a name":                       {2, func(x world) { x.w.Name = "" }},
		"begins with pg_":                     {5, func(x world) { x.w.Name = "pg_archive" }},
		"has 64 bytes":                        {5, func(x world) { x.w.Name = strings.Repeat("x", 64) }},
		`tablespace "old" already exists`:     {5, func(x world) { x.w.Name = "old" }},
		"Patroni runs /data":                  {5, func(x world) { x.v.Manager = "patroni" }},
		"CloudNativePG runs /data":            {5, func(x world) { x.v.Manager = "cloudnative-pg" }},
		"puppet runs /data":                   {5, func(x world) { x.v.Manager = "puppet" }},
		"runs in a container":                 {7, func(x world) { x.v.Contained = true }},
		"is a standby":                        {5, func(x world) { x.v.Standby = true }},
		"cannot create tablespaces":           {7, func(x world) { x.v.Super = false }},
		"there is no role":                    {5, func(x world) { x.v.NoOwner = true }},
		"is in the data directory":            {5, func(x world) { x.s.To = "/data/space" }},
		"is in the WAL":                       {5, func(x world) { x.s.To = "/wal/pg/space" }},
		"the data directory or its WAL is in": {5, func(x world) { x.s.To = "/wal" }},
		"overlaps with":                       {5, func(x world) { x.s.To = "/srv/hdd/old/new" }},
		"nothing is mounted on /srv/hdd":      {5, func(x world) { x.s.Unmounted = "/srv/hdd" }},
		"is in memory (tmpfs)":                {5, func(x world) { x.s.Mount.FSType = "tmpfs" }},
		"is in memory (ext4)":                 {5, func(x world) { x.s.Mount.Source = "/dev/ram0" }},
		"is a mount point":                    {5, func(x world) { exists(x); x.s.MountPoint = true }},
		"is what fsck puts lost files into":   {5, func(x world) { exists(x); x.s.To = "/srv/hdd/lost+found" }},
		"is not a directory":                  {5, func(x world) { exists(x); x.s.Directory = false }},
		"is not empty":                        {5, func(x world) { exists(x); x.s.Entries = []string{"a", "b"} }},
		"belongs to user 0":                   {5, func(x world) { exists(x); x.s.UID = 0 }},
		"on the filesystem of the data":       {5, func(x world) { x.s.SameFilesystem = true }},
		"another account could replace": {5, func(x world) {
			x.s.Changeable = "/srv may be written by " +
				"everybody"
		}},
		"cannot reach /srv/hdd":              {5, func(x world) { x.s.Closed = "permission denied" }},
		"2 standbys are connected: one, two": {5, func(x world) { x.v.Replicas = []string{"one", "two"} }},
		"has standbys could not be read":     {5, func(x world) { x.v.Unreadable = true }},
	} {
		w, s, v := fit()
		c.spin(world{&w, &s, &v})
		_, err := tablespaces.Create(w, s, v)
		no, ok := errors.AsType[*say.Problem](err)
		if !ok || no.Code != c.code || !strings.Contains(no.Error(), want) || no.Hint.IsZero() {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestCreate: what is fit has its notes, and the statement that names it.
func TestCreate(t *testing.T) {
	w, s, v := fit()
	c, err := tablespaces.Create(w, s, v)
	if err != nil || len(c.Notes) > 0 || !c.Made() || c.TempTo != "" ||
		c.SQL() != `CREATE TABLESPACE "archive" LOCATION '/srv/hdd/pg';` {
		t.Errorf("%v, %+v", err, c)
	}
	w.Temp, w.StandbysReady, w.SameFilesystem, w.Name = true, true, true, "Old"
	s.SameFilesystem, s.To, s.InFstab, s.Mount.Source = true, "/srv/hdd/17/pg", false, "/dev/loop3"
	v.Temp, v.Replicas, v.IdleSlots, v.Manager, v.ClusterWide = "spill", []string{"one"}, []string{"two"}, "ansible",
		false
	c, err = tablespaces.Create(w, s, v)
	if err != nil {
		t.Fatal(err)
	}
	if c.TempTo != `spill, "Old"` {
		t.Errorf("temp_tablespaces = %s", c.TempTo)
	}
	var said strings.Builder
	for _, n := range c.Notes {
		said.WriteString(n.String() + "\n")
	}
	for _, want := range []string{"not in /etc/fstab", "is a file on another filesystem", "contains the version 17",
		"Ansible", "already names spill", `GRANT CREATE ON TABLESPACE "Old" TO`, "has its own value for " +
			"temp_tablespaces", `slot "two"`,
		"connected standbys: one"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not among the notes:\n%s", want, said.String())
		}
	}
}
