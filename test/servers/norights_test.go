package servers

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/cell"
)

// TestNoRights: where a right is missing it is named before the first write,
// with exit code 7; no file, no live value and no journal shows that anybody
// tried.
func TestNoRights(t *testing.T) {
	c := cell.New(t, "servers")
	open := c.Dir + "/socket" // for those whom the server's own directory does not let in
	c.Sh(`mkdir -m 1777 "$0"`, open)
	i := cell.Server(t, "servers", 15, scratch.Options{})
	if err := i.Exec(t.Context(), "create role plain login"); err != nil {
		t.Fatal(err)
	}
	restart(t, i, map[string]string{"unix_socket_directories": i.Socket + "," + open})
	c.Disk("ext4", 8<<20, "/etc/sysctl.d") // which knows of immutable files
	c.Sh(`echo "# kept" >/etc/sysctl.d/60-pgfettle.conf`)
	owner, nobody := &i.Account, &scratch.Account{UID: 65534, GID: 65534, Switch: true}
	conninfo := fmt.Sprintf("host=%s port=%d user=plain dbname=postgres", open, i.Port)
	kernel, thp, pg := "sysctl:vm.swappiness=7", "thp:enabled=never", "pg:work_mem=9MB"
	home := func(whose string) []string { return []string{"--journal", c.Dir + "/own/" + whose + "/journal"} }
	c.Sh(`mkdir -m 1777 "$0"`, c.Dir+"/own")
	immutable := func(name string) (on, off string) { return "chattr +i " + name, "chattr -i " + name }
	fileOn, fileOff := immutable("/etc/sysctl.d/60-pgfettle.conf")
	dirOn, dirOff := immutable("/etc/sysctl.d")
	autoOn, autoOff := immutable(i.DataDir + "/postgresql.auto.conf")
	for _, v := range []struct {
		title     string
		on, off   string // what takes the right away and gives it back
		as        *scratch.Account
		target    string
		pins      []string
		flags     []string
		says, how string // words of the error and of the hint
	}{
		{title: "/etc is read-only", on: "mount --bind /etc /etc && mount -o remount,bind,ro /etc", off: "umount /etc",
			pins: []string{kernel}, says: "/etc/sysctl.d/60-pgfettle.conf cannot be written", how: "read-only"},
		{title: "the file is immutable", on: fileOn, off: fileOff, pins: []string{kernel},
			says: "/etc/sysctl.d/60-pgfettle.conf may not be written", how: "chattr -i"},
		{title: "the folder is immutable", on: dirOn, off: dirOff, pins: []string{kernel},
			says: "/etc/sysctl.d/60-pgfettle.conf may not be written", how: "chattr -i"},
		{title: "postgresql.auto.conf is immutable", on: autoOn, off: autoOff, pins: []string{pg},
			says: "postgresql.auto.conf may not be written", how: "chattr -i"},
		{title: "/proc/sys is read-only", on: "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys",
			off: "umount /proc/sys", pins: []string{kernel}, says: "sysctl:vm.swappiness cannot be written",
			how: "read-only"},
		{title: "/sys is read-only", on: "mount --bind /sys /sys && mount -o remount,bind,ro /sys", off: "umount /sys",
			pins: []string{thp}, says: "thp:enabled cannot be written", how: "read-only"},
		{title: "a setting first, and the kernel after it closed",
			on: "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys", off: "umount /proc/sys",
			pins: []string{pg, kernel}, says: "sysctl:vm.swappiness cannot be written", how: "read-only"},
		{title: "the journals' folder is read-only",
			on:  "mkdir -p /var/lib/pgfettle && mount -t tmpfs -o ro,mode=755 none /var/lib/pgfettle",
			off: "umount /var/lib/pgfettle", pins: []string{kernel}, says: "/var/lib/pgfettle/lock cannot be written",
			how: "read-only"},
		{title: "the owner of the server, for the kernel", as: owner, flags: home("owner"), pins: []string{kernel},
			says: "/etc/sysctl.d/60-pgfettle.conf", how: "root"},
		{title: "nobody, for the kernel", as: nobody, flags: home("nobody"), target: conninfo, pins: []string{kernel},
			says: "/etc/sysctl.d/60-pgfettle.conf may not be written", how: "root"},
		{title: "nobody, for the server", as: nobody, flags: home("nobody"), pins: []string{pg},
			says: "permission denied", how: "Run pgfettle as root or as the owner"},
		{title: "a plain role over SQL", as: nobody, flags: home("nobody"), target: conninfo, pins: []string{pg},
			says: "superuser", how: "superuser"},
		{title: "a journal where nobody may write", as: nobody, flags: []string{"--journal", "/etc/own/journal"},
			target: conninfo, pins: []string{pg}, says: "/etc/own", how: "--journal"},
	} {
		t.Run(v.title, func(t *testing.T) {
			before := touchable(t, c, i)
			if v.on != "" {
				c.Sh(v.on)
			}
			at := v.target
			if at == "" {
				at = i.DataDir
			}
			args := append([]string{"apply", "--yes", at}, v.flags...)
			var only []string
			for _, p := range v.pins {
				address, _, _ := strings.Cut(p, "=")
				only = append(only, address)
				args = append(args, "--pin", p)
			}
			r := c.As(v.as, append(args, "--only", strings.Join(only, ","))...)
			if v.off != "" {
				c.Sh(v.off)
			}
			if r.Code != 7 || strings.Count(r.Stderr, "pgfettle: error: ") != 1 ||
				strings.Count(r.Stderr, "pgfettle: hint: ") != 1 {
				t.Errorf("%s", r)
			}
			said, hint, _ := strings.Cut(r.Stderr, "pgfettle: hint: ")
			if !strings.Contains(said, v.says) || !strings.Contains(hint, v.how) {
				t.Errorf("nothing of %q with a hint of %q: %s", v.says, v.how, r.Stderr)
			}
			if diff := cmp.Diff(before, touchable(t, c, i)); diff != "" {
				t.Errorf("touched:\n%s", diff)
			}
		})
	}
}

// touchable is what an apply of these tests could change: files, live values and
// journals. The locks that it takes are no change.
func touchable(t *testing.T, c *cell.Cell, i *scratch.Instance) map[string]string {
	t.Helper()
	all := c.Files("/etc/sysctl.d", "/etc/tmpfiles.d", "/var/lib/pgfettle", c.Dir+"/own")
	maps.Copy(all, cell.Files(t, i.DataDir+"/postgresql.auto.conf"))
	for _, name := range slices.Collect(maps.Keys(all)) {
		if name == "/var/lib/pgfettle" || strings.HasPrefix(all[name], "d") && strings.HasPrefix(name, c.Dir) ||
			path.Base(name) == "lock" || strings.HasPrefix(path.Base(name), "lock-") {
			delete(all, name)
		}
	}
	for _, name := range []string{"/proc/sys/vm/swappiness", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(b)
	}
	all["work_mem"] = sql(t, connect(t, i.ConnString()), "show work_mem")
	return all
}
