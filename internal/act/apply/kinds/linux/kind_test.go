package linux

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// specimen is one knob for the conformance suite: what its host is, what it reports when read, and what it should
// become.
type specimen struct {
	name    string
	address knob.Address
	files   map[string]string // besides those of every host
	prepare func(*lab)

	live  string // what Look shows first
	value string // what is asked for
	then  string // what Look shows then

	file    string // of the value; "": the kind has none
	line    string // that the file must have then
	foreign string // a line that others add to the file
	changed string // our line as changed by others
	reboot  bool   // the live value waits for a boot: it is not part of the states, as the engine does
	moves   bool   // a line that was in the way comes back in another place
	whole   bool   // the whole file is the value: who adds a line to it makes it theirs
}

const meminfo = "MemTotal: 8388608 kB\nMemFree: 6291456 kB\nMemAvailable: 6291456 kB\nSwapTotal: 0 kB\nSwapFree: 0 " +
	"kB\nCommitLimit: 4194304 kB\nCommitted_AS: 1048576 kB\n" +
	"HugePages_Total: 0\nHugePages_Free: 0\nHugePages_Rsvd: 0\nHugePages_Surp: 0\nHugepagesize: 2048 kB\n"

// debian is what every host of the suite has.
var debian = map[string]string{
	"/proc/meminfo":                       meminfo,
	"/proc/sys/vm/swappiness":             "60\n",
	"/proc/sys/vm/dirty_bytes":            "0\n",
	"/proc/sys/vm/dirty_ratio":            "20\n",
	"/proc/sys/vm/dirty_background_bytes": "0\n",
	"/proc/sys/vm/dirty_background_ratio": "10\n",
	"/proc/sys/vm/overcommit_memory":      "0\n",
	"/proc/sys/vm/overcommit_kbytes":      "0\n",
	"/proc/sys/vm/overcommit_ratio":       "50\n",
	"/proc/sys/vm/nr_hugepages":           "0\n",
	"/proc/sys/kernel/sem":                "32000\t1024000000\t500\t32000\n",
	"/proc/self/mountinfo": "22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n30 22 " +
		"254:16 / /srv rw,relatime - ext4 /dev/vdb rw,discard\n",
	"/proc/swaps":   "Filename\tType\tSize\tUsed\tPriority\n",
	"/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/vda1 ro quiet\n",
	"/sys/kernel/mm/transparent_hugepage/enabled":      "[always] madvise never\n",
	"/sys/block/vdb/queue/scheduler":                   "none [mq-deadline] kyber\n",
	"/sys/block/vdb/queue/read_ahead_kb":               "128\n",
	"/sys/kernel/mm/transparent_hugepage/hpage_pmd_sz": "2097152\n",
	"/etc/fstab": "# <file system> <mount point>\nUUID=1  /      ext4  " +
		"errors=remount-ro 0 1\n\nUUID=2\t/srv\text4\tdefaults\t0\t2   # data\nnone /tmp tmpfs size=1G",
	"/etc/default/grub":   "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\nGRUB_CMDLINE_LINUX=\"\"\n",
	"/etc/debian_version": "12.1\n",
	"/boot/grub/grub.cfg": "menuentry 'Debian' {\n\tlinux /vmlinuz root=/dev/vda1 ro  " +
		"quiet\n}\n",
}

const pgUnit = "postgresql@15-main.service"

var specimens = []specimen{
	{name: "a kernel parameter, where /etc/sysctl.d is missing", address: "sysctl:vm.swappiness", live: "60",
		value: "10", then: "10",
		file: plan.SysctlFile, line: "vm.swappiness = 10\n", foreign: "net.core.somaxconn = 4096\n",
		changed: "vm.swappiness = 1\n"},
	{name: "a kernel parameter of several numbers", address: "sysctl:kernel.sem", live: "32000 1024000000 500 32000",
		value: "250 32000  100\t128", then: "250 32000 100 128",
		file: plan.SysctlFile, line: "kernel.sem = 250 32000 100 128\n", foreign: "vm.swappiness = 5\n",
		changed: "kernel.sem = 1 1 1 1\n"},
	{name: "bytes whose ratio rules", address: "sysctl:vm.dirty_bytes", live: "0; vm.dirty_ratio = 20",
		value: "1073741824", then: "1073741824",
		file: plan.SysctlFile, line: "vm.dirty_bytes = 1073741824\n", foreign: "vm.swappiness = 5\n",
		changed: "vm.dirty_bytes = 8192\n"},
	{name: "bytes whose ratio rules with 0", address: "sysctl:vm.dirty_bytes",
		files: map[string]string{"/proc/sys/vm/dirty_ratio": "0\n"},
		live:  "0; vm.dirty_ratio = 0", value: "1073741824", then: "1073741824",
		file: plan.SysctlFile, line: "vm.dirty_bytes = 1073741824\n", foreign: "vm.swappiness = 5\n",
		changed: "vm.dirty_bytes = 8192\n"},
	{name: "a ratio whose bytes rule", address: "sysctl:vm.dirty_background_ratio",
		files: map[string]string{"/proc/sys/vm/dirty_background_ratio": "0\n",
			"/proc/sys/vm/dirty_background_bytes": "67108864\n"},
		live: "0; vm.dirty_background_bytes = 67108864", value: "5", then: "5",
		file: plan.SysctlFile, line: "vm.dirty_background_ratio = 5\n", foreign: "vm.swappiness = 5\n",
		changed: "vm.dirty_background_ratio = 6\n"},
	{name: "bytes that rule already get another value", address: "sysctl:vm.dirty_bytes",
		files: map[string]string{"/proc/sys/vm/dirty_ratio": "0\n", "/proc/sys/vm/dirty_bytes": "536870912\n",
			plan.SysctlFile: "vm.dirty_ratio = 30\n# mine\n"},
		live: "536870912", value: "1073741824", then: "1073741824",
		file: plan.SysctlFile, line: "vm.dirty_bytes = 1073741824\n", foreign: "vm.swappiness = 5\n",
		changed: "vm.dirty_bytes = 8192\n", moves: true},
	{name: "the commit limit in kilobytes", address: "sysctl:vm.overcommit_kbytes", live: "0; vm.overcommit_ratio = 50",
		value: "6000000", then: "6000000",
		file: plan.SysctlFile, line: "vm.overcommit_kbytes = 6000000\n", foreign: "vm.swappiness = 5\n",
		changed: "vm.overcommit_kbytes = 1\n"},
	{name: "a pool of huge pages", address: "sysctl:vm.nr_hugepages", live: "0", value: "1050", then: "1050",
		file: plan.SysctlFile, line: "vm.nr_hugepages = 1050\n", foreign: "vm.swappiness = 5\n",
		changed: "vm.nr_hugepages = 2\n"},
	{name: "a file with lines of somebody else, without a line end", address: "sysctl:vm.swappiness",
		files: map[string]string{
			plan.SysctlFile: "; theirs\r\n-net.core.somaxconn=4096\n\nvm.swappiness  =   30\nvm.zone_reclaim_mode = 0"},
		live: "60", value: "10", then: "10", file: plan.SysctlFile, line: "\nvm.swappiness = 10\nvm.zone",
		foreign: "\nvm.page-cluster = 0\n", changed: "vm.swappiness = 1\nvm.zone"},
	{name: "transparent huge pages", address: "thp:enabled", live: "always", value: "madvise", then: "madvise",
		file: tmpfilesFile, line: "w /sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\n",
		foreign: "w /sys/kernel/mm/transparent_hugepage/defrag - - - - never\n",
		changed: "w /sys/kernel/mm/transparent_hugepage/enabled - - - - never\n"},
	{name: "the scheduler of a disk", address: "block:vdb/scheduler", live: "mq-deadline", value: "none", then: "none",
		file: udevFile, line: `ACTION=="add|change", SUBSYSTEM=="block", KERNEL=="vdb", ATTR{queue/scheduler}="none"` +
			"\n",
		foreign: `KERNEL=="vdc", ATTR{queue/scheduler}="none"` + "\n",
		changed: `ACTION=="add|change", SUBSYSTEM=="block", KERNEL=="vdb", ATTR{queue/scheduler}="bfq"` + "\n"},
	{name: "the read-ahead of a disk", address: "block:vdb/read_ahead_kb", live: "128", value: "256", then: "256",
		file: udevFile, line: `ATTR{queue/read_ahead_kb}="256"` + "\n",
		foreign: "# a remark\n", changed: `ATTR{queue/read_ahead_kb}="512"` + "\n"},
	{name: "the read-ahead of a volume, whose number is this boot's", address: "block:mapper/vg0-data/read_ahead_kb",
		files: map[string]string{"/sys/block/dm-0/dm/name": "vg0-root\n", "/sys/block/dm-0/queue/read_ahead_kb": "64\n",
			"/sys/block/dm-7/dm/name": "vg0-data\n", "/sys/block/dm-7/queue/read_ahead_kb": "128\n"},
		live: "128", value: "256", then: "256",
		file: udevFile, line: `ENV{DM_NAME}=="vg0-data", ATTR{queue/read_ahead_kb}="256"` + "\n",
		foreign: `ACTION=="add|change", SUBSYSTEM=="block", KERNEL=="dm-7", ATTR{queue/read_ahead_kb}="1"` + "\n",
		changed: `ATTR{queue/read_ahead_kb}="512"` + "\n"},
	{name: "a property of a unit", address: "unit:OOMPolicy", files: map[string]string{"/run/systemd/system/.keep": ""},
		prepare: func(l *lab) { l.units = map[string]string{"OOMPolicy": "stop"} }, live: "stop", value: "continue",
		then: "continue",
		file: "/etc/systemd/system/" + pgUnit + ".d/60-pgfettle.conf", line: "\n[Service]\nOOMPolicy=continue\n",
		foreign: "LimitNOFILE=65536\n", changed: "OOMPolicy=kill\n"},
	{name: "a NUMA policy, whose nodes are a property too", address: "unit:NUMAPolicy",
		files:   map[string]string{"/run/systemd/system/.keep": ""},
		prepare: func(l *lab) { l.units = map[string]string{"NUMAPolicy": "n/a"} }, live: "n/a",
		value: "interleave 0-1", then: "interleave 0-1",
		file: "/etc/systemd/system/" + pgUnit + ".d/60-pgfettle.conf",
		line: "\n[Service]\nNUMAMask=0-1\nNUMAPolicy=interleave\n", foreign: "LimitNOFILE=65536\n",
		changed: "NUMAMask=0-1\nNUMAPolicy=bind\n"},
	{name: "a boot parameter of Debian", address: "boot:transparent_hugepage", live: "", value: "never", then: "",
		reboot: true,
		file:   grubFile, line: `GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX transparent_hugepage=never"` + "\n",
		foreign: `GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX psi=1"` + "\n",
		changed: `GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX transparent_hugepage=always"` + "\n"},
	{name: "a boot parameter where grubby rules", address: "boot:transparent_hugepage",
		files:   map[string]string{"/usr/sbin/grubby": "#!/bin/sh\n"},
		prepare: func(l *lab) { l.grubby = []string{"ro", "transparent_hugepage=always"} }, live: "always",
		value: "never", then: "never"},
	{name: "a boot parameter where systemd-boot rules", address: "boot:transparent_hugepage", files: entriesOf("quiet"),
		live: "", value: "never", then: "", reboot: true,
		file: kernelCmdline, line: "root=/dev/vda1 ro quiet transparent_hugepage=never\n", foreign: "splash\n",
		changed: "root=/dev/vda1 ro quiet transparent_hugepage=always\n"},
	{name: "a boot parameter that the entries have already", address: "boot:transparent_hugepage",
		files: with(entriesOf("transparent_hugepage=always quiet"), kernelCmdline,
			"root=/dev/vda1  ro\ttransparent_hugepage=always quiet\n"), live: "", value: "never", then: "",
		reboot: true,
		file:   kernelCmdline, line: "root=/dev/vda1  ro\ttransparent_hugepage=never quiet\n", foreign: "splash\n",
		changed: "root=/dev/vda1 transparent_hugepage=madvise\n"},
	{name: "options of a mount", address: "mount:/srv/options", live: "rw,relatime", value: "defaults,noatime,nosuid",
		then: "rw,nosuid,noatime",
		file: fstabFile, line: "UUID=2\t/srv\text4\tdefaults,noatime,nosuid\t0\t2   # data\n",
		foreign: "\n# more\nUUID=3 /more xfs defaults 0 2\n",
		changed: "UUID=2\t/srv\text4\tdefaults\t0\t2   # data\n"},
	{name: "a unit of a new instance, where /etc/systemd is missing", address: "file:" + madeUnit, live: "(none)",
		value: madeText, then: "(none)", file: madeUnit, line: "[Service]\nType=notify\n", changed: "[Service]\n",
		whole: true},
	{name: "a file of a new instance instead of another one", address: "file:" + madeUnit,
		files: map[string]string{"/etc/systemd/system/.keep": "", madeUnit: "# theirs\n"}, live: "(none)",
		value: madeText, then: "(none)", file: madeUnit, line: "[Service]\nType=notify\n", changed: "[Service]\n",
		whole: true},
	{name: "the service of a new instance", address: "service:" + madeService,
		files: map[string]string{madeUnit: madeText}, live: "absent", value: "enabled, started",
		then: "enabled, started"},
	{name: "a swap file", address: "swapfile:/swapfile", live: "absent", value: madeSwap, then: madeSwap},
	{name: "a swap file in a directory", address: "swapfile:/srv/swap/one",
		files: map[string]string{"/srv/swap/.keep": ""}, live: "absent", value: madeSwap, then: madeSwap},
	{name: "a swap file in use", address: "swap:/swapfile", files: map[string]string{"/swapfile": "whole",
		"/etc/fstab": "UUID=1 / ext4 errors=remount-ro 0 1\n"}, live: "absent", value: "in use", then: "in use",
		file: fstabFile, line: "/swapfile none swap sw 0 0\n", foreign: "# more\nUUID=3 none swap sw 0 0\n",
		changed: "/swapfile none swap sw,pri=5 0 0\n"},
	{name: "the service of a new instance that does not start at boot", address: "service:" + madeService,
		files: map[string]string{madeUnit: madeText}, live: "absent", value: "started", then: "started"},
}

// What 'pgfettle create' makes.
const (
	madeSwap    = "65536 01234567-89ab-cdef-7067-666574746c65"
	madeService = "postgresql-17-main.service"
	madeUnit    = "/etc/systemd/system/" + madeService
	madeText    = "# Written by 'pgfettle create'.\n[Service]\nType=notify\n"
)

// entriesOf is a host that systemd-boot has started: two own entries, as kernel-install 252 writes them, and one of
// another system beside them.
func entriesOf(words string) map[string]string {
	const id = "0123456789abcdef0123456789abcdef"
	entry := func(version, of string) string {
		return "title      Debian GNU/Linux 12 (bookworm)\nversion    " + version + "\nmachine-id " + of +
			"\nsort-key   debian\n" +
			"options    root=/dev/vda1 ro " + words + " systemd.machine_id=" + of + "\nlinux      /" + of + "/" +
			version + "/linux\ninitrd     /" + of + "/" + version + "/initrd.img\n"
	}
	return map[string]string{
		loaderInfo: "\x06\x00\x00\x00s\x00y\x00s\x00t\x00e\x00m\x00d\x00-\x00b\x00o\x00o\x00t\x00 " +
			"\x002\x005\x002\x00\x00\x00",
		machineID: id + "\n",
		"/efi/loader/entries/" + id + "-6.1.0-9.conf":  entry("6.1.0-9", id),
		"/efi/loader/entries/" + id + "-6.1.0-10.conf": strings.ReplaceAll(entry("6.1.0-10", id), "\n", "\r\n"),
		"/efi/loader/entries/other.conf":               entry("1", "fedcba9876543210fedcba9876543210"),
	}
}

func with(files map[string]string, name, text string) map[string]string {
	files[name] = text
	return files
}

func (s specimen) lab(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, debian)
	for name, text := range s.files {
		l.lay(name, text)
	}
	if s.prepare != nil {
		s.prepare(l)
	}
	return l
}

func (s specimen) knob() apply.Knob {
	k := apply.Knob{Address: s.address}
	if s.address.Creates() {
		k.To = s.value
	}
	if s.address.Prefix() == "unit" {
		k.Instance = &snapshot.Instance{Key: "1", Unit: known.Is(host.Unit{Name: pgUnit})}
	}
	return k
}

func eachSpecimen(t *testing.T, run func(t *testing.T, s specimen, l *lab, kind apply.Kind, k apply.Knob)) {
	t.Helper()
	for _, s := range specimens {
		t.Run(s.name, func(t *testing.T) {
			l := s.lab(t)
			run(t, s, l, Host{Files: l, Kernel: l}.Kinds()[s.address.Prefix()], s.knob())
		})
	}
}

func mustLook(t *testing.T, kind apply.Kind, k apply.Knob) journal.State {
	t.Helper()
	st, err := kind.Look(context.Background(), k)
	if err != nil {
		t.Fatalf("look: %v", err)
	}
	return st
}

func mustWant(t *testing.T, kind apply.Kind, now journal.State, k apply.Knob, value string) journal.State {
	t.Helper()
	st, err := kind.Want(now, k, value)
	if err != nil {
		t.Fatalf("want: %v", err)
	}
	return st
}

func mustSet(t *testing.T, kind apply.Kind, k apply.Knob, st journal.State) {
	t.Helper()
	if err := kind.Set(context.Background(), k, st); err != nil {
		t.Fatalf("set: %v", err)
	}
}

func liveString(st journal.State) string {
	if st.Live == nil {
		return "(none)"
	}
	return *st.Live
}

// TestKindsLook: what a knob is on a host that nothing was done to.
func TestKindsLook(t *testing.T) {
	eachSpecimen(t, func(t *testing.T, s specimen, l *lab, kind apply.Kind, k apply.Knob) {
		st := mustLook(t, kind, k)
		if liveString(st) != s.live {
			t.Errorf("live value %q, want %q", liveString(st), s.live)
		}
		if s.file == "" {
			if st.File != nil {
				t.Errorf("a file, %s", st.File.Path)
			}
			return
		}
		if st.File == nil || st.File.Path != s.file {
			t.Fatalf("file %+v, want %s", st.File, s.file)
		}
		_, err := l.Stat(s.file)
		if (st.File.Text == nil) != (err != nil) || st.File.Text != nil && *st.File.Text != l.text(s.file) {
			t.Errorf("text of %s: %v", s.file, st.File.Text)
		}
		if len(l.ops) != 0 {
			t.Errorf("looking changed something: %v", l.ops)
		}
	})
}

// TestKindsWantIsPure: asking what a state should be changes neither the state
// that it was asked with nor the host.
func TestKindsWantIsPure(t *testing.T) {
	eachSpecimen(t, func(t *testing.T, s specimen, l *lab, kind apply.Kind, k apply.Knob) {
		now := mustLook(t, kind, k)
		was, _ := json.Marshal(now)
		tree := l.tree()
		a, b := mustWant(t, kind, now, k, s.value), mustWant(t, kind, now, k, s.value)
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("asked twice:\n%s", d)
		}
		if is, _ := json.Marshal(now); string(is) != string(was) {
			t.Errorf("the state became %s, was %s", is, was)
		}
		if d := cmp.Diff(tree, l.tree()); d != "" {
			t.Errorf("the host changed:\n%s", d)
		}
	})
}

// TestKindsSetAndBack: the value is in force and in its file, setting it again does nothing, and setting the former
// state restores every byte and directory.
func TestKindsSetAndBack(t *testing.T) {
	eachSpecimen(t, func(t *testing.T, s specimen, l *lab, kind apply.Kind, k apply.Knob) {
		tree := l.tree()
		before := mustLook(t, kind, k)
		after := mustWant(t, kind, before, k, s.value)
		if s.reboot {
			after.Live = before.Live
		}
		mustSet(t, kind, k, after)
		found := mustLook(t, kind, k)
		if !found.Same(after) {
			t.Fatalf("set and found differ:\n%s", cmp.Diff(after, found))
		}
		if liveString(found) != s.then {
			t.Errorf("live value %q, want %q", liveString(found), s.then)
		}
		if s.file != "" && !strings.Contains(l.text(s.file), s.line) {
			t.Errorf("%s has no %q:\n%s", s.file, s.line, l.text(s.file))
		}
		n := len(l.ops)
		mustSet(t, kind, k, after)
		if len(l.ops) != n {
			t.Errorf("set twice did %v", l.ops[n:])
		}
		if again := mustWant(t, kind, found, k, s.value); !again.Same(found) && !(s.reboot && again.SameFile(found)) {
			t.Errorf("what has its value would change:\n%s", cmp.Diff(found, again))
		}
		mustSet(t, kind, k, before)
		if back := mustLook(t, kind, k); !back.Same(before) {
			t.Errorf("not back:\n%s", cmp.Diff(before, back))
		}
		if s.address.Prefix() == "boot" {
			// grub.cfg is regenerated, with other blanks; its words were compared
			delete(tree, "boot/grub/grub.cfg")
			now := l.tree()
			delete(now, "boot/grub/grub.cfg")
			if d := cmp.Diff(tree, now); d != "" {
				t.Errorf("not as it was:\n%s", d)
			}
			return
		}
		if d := cmp.Diff(tree, l.tree()); d != "" {
			t.Errorf("not as it was:\n%s", d)
		}
	})
}

// TestKindsKeepForeignLines: others add a line to the file; undo removes ours and keeps theirs.
func TestKindsKeepForeignLines(t *testing.T) {
	eachSpecimen(t, func(t *testing.T, s specimen, l *lab, kind apply.Kind, k apply.Knob) {
		if s.file == "" || s.whole {
			return
		}
		before := mustLook(t, kind, k)
		after := mustWant(t, kind, before, k, s.value)
		mustSet(t, kind, k, after)
		l.lay(s.file, l.text(s.file)+s.foreign)
		found := mustLook(t, kind, k)
		if s.reboot {
			after.Live = found.Live
		}
		if !kind.Ours(found, after, k) {
			t.Fatalf("not ours any more:\n%s", *found.File.Text)
		}
		st, err := kind.Without(found, before, k)
		if err != nil {
			t.Fatal(err)
		}
		mustSet(t, kind, k, st)
		now := mustLook(t, kind, k)
		if liveString(now) != s.live {
			t.Errorf("live value %q, want %q", liveString(now), s.live)
		}
		if now.File.Text == nil || !strings.Contains(*now.File.Text, s.foreign) ||
			strings.Contains(*now.File.Text, s.line) {
			t.Errorf("the file is now\n%s", l.text(s.file))
		}
		if s.moves {
			if a, b := sortedLines(*before.File.Text+s.foreign), sortedLines(*now.File.Text); a != b {
				t.Errorf("not the lines of before and the foreign one:\n%s", cmp.Diff(a, b))
			}
			return
		}
		if before.File.Text != nil && *now.File.Text != *before.File.Text+s.foreign {
			t.Errorf("more than the foreign line was added:\n%s", cmp.Diff(*before.File.Text+s.foreign, *now.File.Text))
		}
	})
}

func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// TestKindsKnowForeignValues: others changed our own line or the live value, or removed the file: none of them is ours
// any more.
func TestKindsKnowForeignValues(t *testing.T) {
	eachSpecimen(t, func(t *testing.T, s specimen, l *lab, kind apply.Kind, k apply.Knob) {
		before := mustLook(t, kind, k)
		after := mustWant(t, kind, before, k, s.value)
		mustSet(t, kind, k, after)
		if s.reboot {
			after.Live = before.Live
		}
		if found := mustLook(t, kind, k); !kind.Ours(found, after, k) {
			t.Error("what was just set is not ours")
		}
		live := "other"
		if !s.whole && kind.Ours(journal.State{Live: &live, File: after.File}, after, k) {
			t.Error("another live value is ours")
		}
		if s.file == "" {
			return
		}
		ours := after.File.Text
		i := strings.Index(*ours, s.line)
		other := (*ours)[:i] + s.changed + (*ours)[i+len(s.line):]
		if strings.HasPrefix(s.line, "\n[Service]") {
			other = strings.Replace(*ours, strings.TrimPrefix(s.line, "\n[Service]\n"), s.changed, 1)
		}
		if kind.Ours(journal.State{Live: after.Live, File: withText(after.File, &other)}, after, k) {
			t.Errorf("another value is ours:\n%s", other)
		}
		if kind.Ours(journal.State{Live: after.Live, File: withText(after.File, nil)}, after, k) {
			t.Error("a file that is gone is ours")
		}
	})
}

// TestKindsInATree: in a tree that stands for a host there are files and no
// live values, even where it has a /proc.
func TestKindsInATree(t *testing.T) {
	eachSpecimen(t, func(t *testing.T, s specimen, l *lab, _ apply.Kind, k apply.Knob) {
		if s.file == "" || s.file == kernelCmdline { // its files do not show what starts an image
			return
		}
		kind := Host{Files: l}.Kinds()[s.address.Prefix()]
		tree := l.tree()
		before := mustLook(t, kind, k)
		after := mustWant(t, kind, before, k, s.value)
		mustSet(t, kind, k, after)
		if before.Live != nil || after.Live != nil {
			t.Errorf("live values %q, %q", liveString(before), liveString(after))
		}
		if !strings.Contains(l.text(s.file), s.line) {
			t.Errorf("%s has no %q", s.file, s.line)
		}
		for _, op := range l.ops {
			if strings.HasPrefix(op, "poke") || strings.HasPrefix(op, "run") {
				t.Errorf("a tree got %q", op)
			}
		}
		mustSet(t, kind, k, before)
		if d := cmp.Diff(tree, l.tree()); d != "" {
			t.Errorf("not as it was:\n%s", d)
		}
	})
}

// TestKindsCrash: the machine dies before or after any operation. Setting the
// state again finishes it; setting the former one brings it back.
func TestKindsCrash(t *testing.T) {
	for _, s := range specimens {
		t.Run(s.name, func(t *testing.T) {
			for n := 0; ; n++ {
				reached := false
				for _, late := range []bool{false, true} {
					for _, forward := range []bool{false, true} {
						reached = s.crash(t, n, late, forward) || reached
					}
				}
				if !reached {
					if n < 2 && s.file != "" && !s.whole {
						t.Errorf("only %d operations", n)
					}
					return
				}
			}
		})
	}
}

func (s specimen) crash(t *testing.T, n int, late, forward bool) bool {
	t.Helper()
	what := fmt.Sprintf("operation %d, late %v, forward %v", n, late, forward)
	l, k, ctx := s.lab(t), s.knob(), context.Background()
	kind := Host{Files: l, Kernel: l}.Kinds()[s.address.Prefix()]
	tree := l.tree()
	before := mustLook(t, kind, k)
	after := mustWant(t, kind, before, k, s.value)
	l.die, l.late = n, late
	if err := kind.Set(ctx, k, after); err == nil {
		return false
	}
	l.revive()
	goal := before
	if forward {
		goal = after
	}
	if s.reboot {
		goal.Live = before.Live
	}
	if err := kind.Set(ctx, k, goal); err != nil {
		t.Errorf("%s: %v", what, err)
		return true
	}
	if found := mustLook(t, kind, k); !found.Same(goal) {
		t.Errorf("%s:\n%s", what, cmp.Diff(goal, found))
	}
	if s.file == grubFile && strings.Contains(l.text("/boot/grub/grub.cfg"),
		bootWord(s.address.Name(), s.value)) != forward {
		t.Errorf("%s: grub.cfg is\n%s", what, l.text("/boot/grub/grub.cfg"))
	}
	if now := l.tree(); !forward && (s.address.Prefix() != "boot" || s.file == kernelCmdline) {
		if d := cmp.Diff(tree, now); d != "" {
			t.Errorf("%s: not as it was:\n%s", what, d)
		}
	}
	return true
}
