package linux

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// attempt looks, asks for a value and sets it, and returns the first error.
func attempt(l *lab, address knob.Address, value string) error {
	kind, k, ctx := Host{Files: l, Kernel: l}.Kinds()[address.Prefix()], apply.Knob{Address: address},
		context.Background()
	if address.Prefix() == "unit" {
		k = specimen{address: address}.knob()
	}
	now, err := kind.Look(ctx, k)
	if err != nil {
		return err
	}
	want, err := kind.Want(now, k, value)
	if err != nil {
		return err
	}
	return kind.Set(ctx, k, want)
}

// TestKindsRefuse: what cannot be done says why, in words that help.
func TestKindsRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		address knob.Address
		value   string
		files   map[string]string
		prepare func(*lab)
		says    string
	}{
		"the kernel refuses a value": {"sysctl:vm.dirty_bytes", "1", nil, nil, "invalid argument"},
		"a kernel without the parameter": {"sysctl:vm.no_such_thing", "1", nil, nil,
			"this kernel has no parameter vm.no_such_thing"},
		"a name that leads elsewhere": {"sysctl:../../etc/passwd", "1", nil, nil,
			"not the name of a kernel parameter"},
		"a value of two lines": {"sysctl:vm.swappiness", "1\x00", nil, nil,
			"cannot stand in a configuration file"},
		"no value": {"sysctl:vm.swappiness", "", nil, nil,
			"cannot stand in a configuration file"},
		"0 bytes, which would be no limit": {"sysctl:vm.overcommit_kbytes", "0",
			map[string]string{"/proc/sys/vm/overcommit_kbytes": "77\n", "/proc/sys/vm/overcommit_ratio": "0\n"}, nil,
			"set that one"},
		"a read-ahead that the kernel rounds": {"block:vdb/read_ahead_kb", "130", nil, nil,
			"asked for 130, the kernel gives 128"},
		"a scheduler that is not there": {"block:vdb/scheduler", "cfq", nil, nil, "invalid argument"},
		"a device that is not there": {"block:nosuch/scheduler", "none", nil, nil,
			"this kernel has no /sys/block/nosuch/queue/scheduler"},
		"a device that leads elsewhere": {"block:../../etc/scheduler", "none", nil, nil, "not the address"},
		"a volume that is not there": {"block:mapper/vg0-none/read_ahead_kb", "256", nil,
			nil, "no volume of device mapper named vg0-none"},
		"a volume that leads elsewhere": {"block:mapper/../../etc/scheduler", "none", nil, nil,
			"not the address"},
		"another attribute of a queue":  {"block:vdb/write_cache", "x", nil, nil, "not the address"},
		"a switch that leads elsewhere": {"thp:../../../etc/x", "never", nil, nil, "not the address"},
		"a udev rule inside a value":    {"block:vdb/scheduler", `none", RUN+="/bin/sh`, nil, nil, "not a value"},
		"a shell inside a boot value":   {"boot:psi", `1";reboot;"`, nil, nil, "not a value"},
		"a shell inside a boot name":    {"boot:$(reboot)", `1`, nil, nil, "does not name a parameter"},
		"a word of GRUB that comes later": {"boot:transparent_hugepage", "never",
			map[string]string{"/etc/default/grub": "GRUB_CMDLINE_LINUX_DEFAULT=\"transparent_hugepage=always\"\n"},
			nil, `the next boot would have "always"`},
		"pages of another size at boot": {"boot:hugepages", "100",
			map[string]string{"/boot/grub/grub.cfg": "\tlinux /vmlinuz ro hugepagesz=1G hugepages=4\n"}, nil,
			"hugepagesz=1G"},
		"a boot loader that is not known": {"boot:psi", "1", nil, func(l *lab) {
			if err := l.Local.Remove("/etc/debian_version"); err != nil {
				l.t.Fatal(err)
			}
		}, "add psi=VALUE to the kernel command line manually"},
		"update-grub fails": {"boot:psi", "1", map[string]string{"/etc/default/grub": "exit 3\n"},
			nil, "update-grub: exit status 1"},
		"a drop-in that wins": {"unit:OOMPolicy", "continue", map[string]string{"/run/systemd/system/x": "",
			"/etc/systemd/system/" + pgUnit + ".d/override.conf": "[Service]\nOOMPolicy=kill\n"},
			func(l *lab) { l.units = map[string]string{"OOMPolicy": "kill"} }, "override.conf"},
		"a property that systemd has not": {"unit:NoSuch", "1", map[string]string{"/run/systemd/system/x": ""}, nil,
			"shows no property NoSuch"},
		"a mount that is not in fstab": {"mount:/data/options", "noatime", nil, nil, "no line mounts /data"},
		"two lines of fstab for a mount": {"mount:/srv/options", "noatime",
			map[string]string{"/etc/fstab": "a /srv ext4 defaults\nb /srv/ xfs defaults\n"}, nil,
			"lines 1 and 2 both mount /srv"},
		"a line without options": {"mount:/srv/options", "noatime",
			map[string]string{"/etc/fstab": "a /srv ext4\n"}, nil, "line 1: no field of options"},
		"a remount that is refused": {"mount:/srv/options", "noatime", nil, func(l *lab) { l.mountBad = true },
			"bad option"},
		"options with a blank": {"mount:/srv/options", "noatime, ro", nil, nil, "not a field of options"},
		"a file that is no text": {"sysctl:vm.swappiness", "1", map[string]string{plan.SysctlFile: "\xff\n"},
			nil, "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, debian)
			for n, text := range c.files {
				l.lay(n, text)
			}
			if c.prepare != nil {
				c.prepare(l)
			}
			err := attempt(l, c.address, c.value)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one with %q", err, c.says)
			}
		})
	}
}

// TestUnitWithoutInstance: a change that names no instance is of the only
// service there is.
func TestUnitWithoutInstance(t *testing.T) {
	l := newLab(t, debian)
	k := apply.Knob{Address: "unit:OOMPolicy"}
	if _, err := (Host{Files: l, Kernel: l}).Kinds()["unit"].Look(context.Background(), k); err == nil {
		t.Error("a unit without a name was looked at")
	}
	st := mustLook(t, Host{Files: l, Kernel: l, Service: pgUnit}.Kinds()["unit"], k)
	if st.File == nil || !strings.Contains(st.File.Path, pgUnit) || st.Live != nil {
		t.Errorf("state %+v: systemd does not run here", st)
	}
	k.Instance = &snapshot.Instance{Unit: known.Is(host.Unit{Name: "../evil.service"})}
	if _, err := (Host{Files: l, Kernel: l}).Kinds()["unit"].Look(context.Background(), k); err == nil {
		t.Error("a unit whose name leads elsewhere was looked at")
	}
}

// TestKindsGuard: a missing right is known before the first write.
func TestKindsGuard(t *testing.T) {
	for _, s := range specimens {
		if s.whole {
			continue // of a file alone, the engine knows it
		}
		l := s.lab(t)
		guard := Host{Files: l, Kernel: l}.Kinds()[s.address.Prefix()].(apply.Guard)
		l.asRoot = true
		if err := guard.Allowed(context.Background(), s.knob()); err != nil {
			t.Errorf("%s: root is refused: %v", s.name, err)
		}
		if p := s.address.Prefix(); p == "sysctl" || p == "thp" || p == "block" {
			l.lay("/proc/self/mountinfo",
				"1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / /proc rw - proc proc rw\n3 2 0:2 /sys /proc/sys ro - proc "+
					"proc rw\n4 1 0:3 / /sys ro - sysfs sysfs ro\n")
			if err := guard.Allowed(context.Background(), s.knob()); !errors.Is(err, syscall.EROFS) {
				t.Errorf("%s: in a container: %v", s.name, err)
			}
		}
		nobody := nobody{l}
		guard = Host{Files: l, Kernel: nobody}.Kinds()[s.address.Prefix()].(apply.Guard)
		if err := guard.Allowed(context.Background(), s.knob()); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: an ordinary user: %v", s.name, err)
		}
		guard = Host{Files: nobody}.Kinds()[s.address.Prefix()].(apply.Guard)
		if err := guard.Allowed(context.Background(), s.knob()); err != nil {
			t.Errorf("%s: a tree: %v", s.name, err)
		}
	}
}

type nobody struct{ *lab }

func (nobody) UID() int { return 65534 }

// TestBootGoesByItsFile: the live value is the running kernel's, and only a
// boot changes it; the file brings the next boot's about, and takes it back.
func TestBootGoesByItsFile(t *testing.T) {
	l := newLab(t, debian)
	kind, k := Host{Files: l, Kernel: l}.Kinds()["boot"], apply.Knob{Address: "boot:transparent_hugepage"}
	before := mustLook(t, kind, k)
	mustSet(t, kind, k, mustWant(t, kind, before, k, "never"))
	if got := l.text("/boot/grub/grub.cfg"); !strings.Contains(got, " transparent_hugepage=never ") ||
		liveString(mustLook(t, kind, k)) != "" {
		t.Errorf("grub.cfg:\n%s\nrunning: %q", got, liveString(mustLook(t, kind, k)))
	}
	notes, err := kind.(apply.Noter).Notes(k)
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "without transparent_hugepage") {
		t.Errorf("notes %q, %v", notes, err)
	}
	// a boot; the last word counts
	l.lay("/proc/cmdline", "ro transparent_hugepage=always quiet transparent_hugepage=never\n")
	if got := mustLook(t, kind, k); liveString(got) != "never" {
		t.Errorf("running: %q", liveString(got))
	}
	before.Live = nil
	mustSet(t, kind, k, before)
	if got := l.text("/boot/grub/grub.cfg"); strings.Contains(got, "transparent_hugepage") {
		t.Errorf("grub.cfg:\n%s", got)
	}
}

// TestMountNotes: an option of the filesystem's own that is not in force yet.
func TestMountNotes(t *testing.T) {
	l := newLab(t, debian)
	if err := attempt(l, "mount:/srv/options",
		"noatime,discard,data=writeback,nofail,x-systemd.automount"); err != nil {
		t.Fatal(err)
	}
	notes, err := Host{Files: l, Kernel: l}.Kinds()["mount"].(apply.Noter).Notes(
		apply.Knob{Address: "mount:/srv/options"})
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], "the kernel does not show data=writeback among") {
		t.Errorf("notes %q, %v", notes, err)
	}
}
