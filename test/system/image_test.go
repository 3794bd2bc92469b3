package system

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	suite      = "bookworm"
	rootLabel  = "guestroot"
	toolsLabel = "guesttools"
	diskMB     = 3072 // 650 MB are used; the rest is a hole in the file
)

// packages are what is in the machine besides Debian's minimum.
var packages = []string{
	"systemd", "systemd-sysv", "dbus", "udev", "kmod", "procps", "postgresql-15",
	"linux-image-cloud-amd64", "grub2-common", "grub-pc-bin",
}

// recipe is a shell script that finishes the tree of files in $1. What it does
// not say the packages do by themselves: they make the cluster 15/main with
// Debian's own configuration, and its unit.
//
// GRUB is made into a file that QEMU starts as it starts a Linux kernel; it then
// reads grub.cfg, and the kernel, from the machine's disk as any GRUB does. The
// grub.cfg here is for the first boot, in which update-grub writes the real one.
// The kernel has the drivers of NVMe and ext4 in it and needs no initial
// ramdisk, and without one root= names the device.
//
// The kernel goes without what guards a CPU against its own speculation: an emulated one has none, and its page tables
// would be changed at each system call, after which the emulator looks for its translations again. Nor does it test its
// timer: where the host is busy, the ticks of an emulated one come too late, and the kernel panics ("IO-APIC + timer
// doesn't work").
const recipe = `set -eu
root=$1
rm -f "$root"/boot/initrd.img* "$root"/initrd.img*
kernel=$(cd "$root/boot" && ls vmlinuz-*)

cat > "$root/etc/default/grub" <<'END'
GRUB_DEFAULT=0
GRUB_TIMEOUT=0
GRUB_DISTRIBUTOR=Debian
GRUB_CMDLINE_LINUX_DEFAULT=""
GRUB_CMDLINE_LINUX="console=ttyS0 mitigations=off no_timer_check"
GRUB_TERMINAL=console
END
mkdir -p "$root/boot/grub"
cat > "$root/boot/grub/grub.cfg" <<END
linux /boot/$kernel root=/dev/nvme0n1 ro console=ttyS0 mitigations=off no_timer_check
boot
END
cat > "$root/tmp/start.cfg" <<END
search --no-floppy --label --set=root ` + rootLabel + `
configfile /boot/grub/grub.cfg
END
# no other systems are looked for: each of these takes its time under emulation
rm "$root/etc/grub.d/05_debian_theme" "$root/etc/grub.d/20_linux_xen" "$root/etc/grub.d/30_os-prober" \
  "$root/etc/grub.d/30_uefi-firmware" "$root/etc/grub.d/40_custom" "$root/etc/grub.d/41_custom"
chroot "$root" grub-mkimage -O i386-pc -p /boot/grub -c /tmp/start.cfg -o /tmp/core.img \
  biosdisk part_msdos ext2 search search_label search_fs_uuid configfile normal linux echo test minicmd \
  loadenv all_video gzio
cat "$root/usr/lib/grub/i386-pc/lnxboot.img" "$root/tmp/core.img" > "$root/boot/grub.lnx"
rm -f "$root/tmp/core.img" "$root/tmp/start.cfg"

echo guest > "$root/etc/hostname"
mkdir -p "$root/opt/tools"
cat > "$root/etc/fstab" <<END
LABEL=` + rootLabel + ` / ext4 errors=remount-ro 0 1
LABEL=` + toolsLabel + ` /opt/tools ext4 ro,x-systemd.device-timeout=infinity 0 0
END
cat > "$root/etc/systemd/system/agent.service" <<'END'
[Unit]
Description=Agent of the test
RequiresMountsFor=/opt/tools
[Service]
ExecStart=/opt/tools/agent
Environment=HOME=/root PATH=/opt/tools:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# the memory that runs out must not be looked for here
OOMScoreAdjust=-1000
OOMPolicy=continue
[Install]
WantedBy=multi-user.target
END
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../agent.service "$root/etc/systemd/system/multi-user.target.wants/agent.service"
# a console nobody logs in at, sessions that nobody opens, modules that nothing here asks for,
# and work that the clock starts
for unit in serial-getty@ttyS0.service getty@tty1.service systemd-logind.service e2scrub_reap.service \
    modprobe@configfs.service modprobe@dm_mod.service modprobe@drm.service modprobe@efi_pstore.service \
    modprobe@fuse.service modprobe@loop.service \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
`

// image is the machine as it is before a test: powered off, never booted.
type image struct {
	dir string // under the cache directory
}

func (i image) disk() string { return filepath.Join(i.dir, "root.img") }
func (i image) grub() string { return filepath.Join(i.dir, "grub.lnx") }

// cacheDir is where images are kept: as the program does with servers that it
// fetches, for root below /var/cache.
func cacheDir() string { return "/var/cache/pgfettle/system" }

// key names an image by all that it is made from.
func key() string {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{suite, rootLabel, toolsLabel, fmt.Sprint(diskMB), recipe},
		packages...), "\n")))
	return hex.EncodeToString(sum[:8])
}

// locked returns with the directory of images locked for this process alone.
func locked() (unlock func(), err error) {
	if err := os.MkdirAll(cacheDir(), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(cacheDir(), "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, err
		}
	}
}

// fetched makes a copy of the image in a directory of the test, building the image if there is none of this recipe.
// Images of other recipes go.
func fetched(t *testing.T, dir string) image {
	t.Helper()
	unlock, err := locked()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	base := image{filepath.Join(cacheDir(), key())}
	if _, err := os.Stat(base.dir); errors.Is(err, fs.ErrNotExist) {
		if err := base.make(t); err != nil {
			t.Fatalf("image of the machine: %v", err)
		}
	} else if err != nil {
		t.Fatal(err)
	}
	mine := image{dir}
	for _, c := range [][2]string{{base.disk(), mine.disk()}, {base.grub(), mine.grub()}} {
		if err := command("cp", "--sparse=always", "--reflink=auto", c[0], c[1]); err != nil {
			t.Fatal(err)
		}
	}
	return mine
}

// firstBoot is what a test does in a machine that was never booted, before all else.
const firstBoot = `set -e
update-grub
systemctl is-active postgresql@15-main
`

// make builds the image. The directory appears whole or not at all.
func (i image) make(t *testing.T) error {
	old, err := filepath.Glob(filepath.Join(cacheDir(), "*", "root.img"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.RemoveAll(filepath.Dir(name)); err != nil {
			return err
		}
	}
	tmp, err := os.MkdirTemp(cacheDir(), "making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	tree, script := filepath.Join(tmp, "tree"), filepath.Join(tmp, "recipe")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+recipe), 0o700); err != nil {
		return err
	}
	argv := []string{"mmdebstrap", "--variant=minbase", "--include=" + strings.Join(packages, ","),
		"--customize-hook=" + script,
		"--aptopt=Acquire::Languages \"none\"", "--dpkgopt=path-exclude=/usr/share/doc/*",
		"--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*"}
	sources, err := aptSources()
	if err != nil {
		return err
	}
	argv = append(append(append(argv, aptProxies()...), suite, tree), sources...)
	t.Logf("making the image of the machine, once for this recipe: %s", strings.Join(argv, " "))
	if err := command(argv...); err != nil {
		return err
	}
	making := image{tmp}
	if err := os.Rename(filepath.Join(tree, "boot", "grub.lnx"), making.grub()); err != nil {
		return err
	}
	if err := makeDisk(making.disk(), rootLabel, tree, diskMB); err != nil {
		return err
	}
	if err := os.RemoveAll(tree); err != nil {
		return err
	}
	if err := os.Remove(script); err != nil {
		return err
	}
	return os.Rename(tmp, i.dir)
}

// aptSources are the files of this machine's own /etc/apt that name the suite; none if this machine has another one:
// mmdebstrap then knows where to go.
func aptSources() (files []string, err error) {
	for _, pattern := range []string{"/etc/apt/sources.list", "/etc/apt/sources.list.d/*.list",
		"/etc/apt/sources.list.d/*.sources"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			for line := range strings.Lines(string(text)) {
				f := strings.Fields(line)
				if len(f) > 1 && (f[0] == "deb" || f[0] == "Suites:") && contains(f[1:], suite) {
					files = append(files, name)
					break
				}
			}
		}
	}
	return files, nil
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// aptProxies are the proxies of this machine's own apt, which mmdebstrap's does
// not know.
func aptProxies() (opts []string) {
	out, err := exec.Command("apt-config", "dump", "--format", "%f \"%v\"%n", "Acquire::http::Proxy",
		"Acquire::https::Proxy").Output()
	if err != nil {
		return nil // no apt here, and so no proxy of its
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, `""`) {
			opts = append(opts, "--aptopt="+line)
		}
	}
	return opts
}
