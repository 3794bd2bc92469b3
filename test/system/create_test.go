package system

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// The instance that is created, in a directory that a mount of its own leads to.
const (
	newData = "/srv/pg/extra"
	newUnit = "postgresql-15-extra.service"
)

// emulated bounds a create and its undo: they run initdb and several servers, each of which takes its time under
// emulation, and ten times as long where the machine is busy.
const emulated = 30 * time.Minute

// create makes a second instance with huge pages of its own and a swap file, which systemd starts.
func create(t *testing.T, g *guest) *creation.Plan {
	t.Helper()
	// a disk of its own: the machine's has no room for twice max_wal_size
	g.sh(t, `set -e; mkdir -p /srv/pg; cp /etc/fstab /root/fstab; truncate -s 8G /srv/disk
mke2fs -q -F -t ext4 -m 0 -E lazy_itable_init=1,lazy_journal_init=1 /srv/disk
echo '/srv/disk /srv/pg ext4 loop 0 0' >> /etc/fstab; systemctl daemon-reload; systemctl start srv-pg.mount
rmdir /srv/pg/lost+found; cp /etc/fstab /root/fstab-with-disk`)
	// which a machine of 3 GB does not get by default
	g.put(t, "/root/policy.toml", "[pins]\n\"pg:huge_pages\" = \"on\"\n")
	begun := time.Now()
	said := g.fettleWithin(t, emulated, 0, "create", "15/extra", "--via", "initdb", "--datadir", newData, "--memory",
		"512MB", "--connections", "20", "--layers", strings.Join(creation.HostLayers, ","), "--policy",
		"/root/policy.toml", "--yes", "--format", "json")
	t.Logf("created within %s", time.Since(begun).Round(time.Second))
	p := &creation.Plan{}
	if err := json.Unmarshal([]byte(said.Stdout), p); err != nil {
		t.Fatalf("%v\n%s", err, said.Stdout)
	}
	return p
}

// created is the machine after a boot: the instance is there without anybody's help, with all that was planned.
func created(t *testing.T, g *guest, p *creation.Plan) {
	t.Helper()
	got := table(t, g.sh(t, `systemctl show -p ActiveState,UnitFileState,NeedDaemonReload,OOMPolicy,Result `+newUnit+
		` | tr = ' '
systemctl show --value -p After `+newUnit+` | tr ' ' '\n' | grep -x srv-pg.mount
echo mounts $(systemctl show --value -p RequiresMountsFor `+newUnit+` | tr ' ' '\n' | sort)
pm=$(head -1 `+newData+`/postmaster.pid)
echo adjusted $(cat /proc/$pm/oom_score_adj) $(cat /proc/$(pgrep -P $pm | head -1)/oom_score_adj)
echo cgroup $(cut -d: -f3 /proc/$pm/cgroup)
grep -q 'anon_hugepage' /proc/$pm/maps && echo pages huge
echo swap $(swapon --noheadings --show=NAME,TYPE,SIZE) $(systemctl is-active swapfile.swap)
echo mode $(stat -c '%a %U' /swapfile)
systemctl is-system-running`), 5)
	differ(t, "the service and the swap file after a boot", map[string]string{"ActiveState": "active",
		"UnitFileState": "enabled", "NeedDaemonReload": "no", "OOMPolicy": "continue", "Result": "success",
		"srv-pg.mount": "", "mounts": "/run/postgresql " + newData, "adjusted": "-900 0",
		"cgroup": "/system.slice/" + newUnit,
		"pages":  "huge", "swap": "/swapfile file 1024M active", "mode": "600 root", "running": ""}, got)
	want := map[string]string{}
	for _, s := range p.Settings {
		want[s.Name] = s.Value
	}
	if want["huge_pages"] != "on" {
		t.Errorf("huge_pages is planned to be %s", want["huge_pages"])
	}
	have := map[string]string{}
	rows := g.sqlAt(t, p, "select name || ' ' || current_setting(name) from pg_settings")
	for name, value := range table(t, rows, 300) {
		if _, planned := want[name]; planned {
			have[name] = value
		}
	}
	differ(t, "settings of the new instance", want, have)
}

// sqlAt asks the server of a plan as its owner.
func (g *guest) sqlAt(t *testing.T, p *creation.Plan, query string) string {
	t.Helper()
	argv := append(slices.Clone(psql), "-h", p.Socket, "-p", g.line(t, "sed -n 4p "+newData+"/postmaster.pid"))
	r := g.try(t, patience, query, argv...)
	if r.Code != 0 {
		t.Fatalf("%s\n%s%s", query, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// uncreate takes the instance back: nothing of it is left but the mount, which was there before.
func uncreate(t *testing.T, g *guest) {
	t.Helper()
	g.fettleWithin(t, emulated, 0, "undo", "--max-effect", "restart", "--yes")
	if left := g.sh(t, "find /srv/pg /swapfile -mindepth 0 -not -path /srv/pg 2>/dev/null; swapon --noheadings "+
		"--show; diff /root/fstab-with-disk /etc/fstab; systemctl list-units --all --plain --no-legend "+newUnit+
		"; systemctl list-unit-files --no-legend "+newUnit+"; true"); strings.TrimSpace(left) != "" {
		t.Errorf("something is left of the instance: %s", left)
	}
	g.sh(t, `set -e; cat /root/fstab > /etc/fstab; umount /srv/pg; rm /srv/disk /root/policy.toml
systemctl daemon-reload
systemctl restart postgresql@15-main`) // which had taken of the pool at its start, with huge_pages = try
}
