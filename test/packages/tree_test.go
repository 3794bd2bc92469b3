package packages

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

// tree is this machine's own tree of files in which everything may be changed:
// an overlay over it in a mount namespace that ends with the test, so that
// packages are installed by the real programs and their scripts run for real.
// systemd does not run there but seems to; what it is asked is noted instead.
type tree struct {
	t   *testing.T
	pid int
	top string
}

// asked is where the calls are noted, one a line.
const asked = "/asked"

// stubs take the place of what speaks to systemd. What only makes and removes links
// is done all the same, by the real program, which needs no systemd for that.
const stubs = `
mv /usr/bin/systemctl /usr/bin/systemctl.real
cat >/usr/bin/systemctl <<'END'
#!/bin/sh
echo "systemctl $*" >>` + asked + `
case " $* " in
*" enable "* | *" disable "* | *" preset "*)
	for word do
		shift
		case $word in --now | --no-reload | --system) ;; *) set -- "$@" "$word" ;; esac
	done
	exec /usr/bin/systemctl.real --root=/ "$@" ;;
esac
END
cat >/usr/bin/deb-systemd-invoke <<'END'
#!/bin/sh
echo "deb-systemd-invoke $*" >>` + asked + `
END
chmod 755 /usr/bin/systemctl /usr/bin/deb-systemd-invoke
mkdir -p /run/systemd/system /etc/systemd/system-preset
# As Fedora has it; where there is none, systemd means enable.
echo 'disable *' >/etc/systemd/system-preset/99-default-disable.preset
# Nothing here asks man for an index, and making it takes longer than all else.
rm -f /var/lib/man-db/auto-update
`

// newTree makes one.
func newTree(t *testing.T) *tree {
	t.Helper()
	// The state of this machine's own pgfettle is masked by whiteouts: other tests make and remove it meanwhile, and a
	// directory of an overlay whose lower half goes cannot be removed.
	if os.Geteuid() != 0 {
		tier.Missing(t, tier.Packages, "only root makes a mount namespace")
	}
	for _, program := range []string{"unshare", "nsenter", "chroot", "mount", "systemctl", "deb-systemd-helper",
		"systemd-sysusers", "dpkg"} {
		if _, err := exec.LookPath(program); err != nil {
			tier.Missing(t, tier.Packages, "%v", err)
		}
	}
	top := t.TempDir()
	holder := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-euc",
		`mount -t tmpfs -o mode=755 tree "$0"
mkdir "$0/over" "$0/work" "$0/tree"
mkdir -p "$0/mask/var/lib"
for name in pgfettle pgfettle-watch pgfettle-textfile; do mknod "$0/mask/var/lib/$name" c 0 0; done
mount -t overlay -o "lowerdir=$0/mask:/,upperdir=$0/over,workdir=$0/work" tree "$0/tree"
mount --rbind /proc "$0/tree/proc"
mount --rbind /dev "$0/tree/dev"
mount -t tmpfs -o mode=755 run "$0/tree/run"
mount -t tmpfs -o mode=1777 tmp "$0/tree/tmp"
exec cat`, top)
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	holder.Stderr = &errs
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // the namespace and its mounts end with cat
		_ = holder.Wait()
	})
	_, _ = io.WriteString(in, ".")
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		tier.Missing(t, tier.Packages, "no tree of files of its own: %v %s", err, errs.String())
	}
	x := &tree{t: t, pid: holder.Process.Pid, top: filepath.Join(top, "tree")}
	x.sh(stubs)
	return x
}

// sh runs lines of the shell there, which must succeed, and returns what they say.
func (x *tree) sh(lines string, args ...string) string {
	x.t.Helper()
	cmd := exec.Command("nsenter", append([]string{"-t", strconv.Itoa(x.pid), "-m", "--", "chroot", x.top, "/bin/sh",
		"-euc", lines}, args...)...)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "HOME=/root",
		"DEBIAN_FRONTEND=noninteractive"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		x.t.Fatalf("%s: %v\n%s", lines, err, out)
	}
	return string(out)
}

// put copies a file of this machine into the tree.
func (x *tree) put(from, to string) {
	x.t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(filepath.Join("/proc", strconv.Itoa(x.pid), "root", x.top, to), b, 0o644)
	}
	if err != nil {
		x.t.Fatal(err)
	}
}

// calls returns what systemd was asked since the last time.
func (x *tree) calls() []string {
	x.t.Helper()
	text := strings.TrimSpace(x.sh(`touch "$0"; cat "$0"; : >"$0"`, asked))
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// links returns the links of our units below /etc/systemd/system, those that lead
// nowhere marked.
func (x *tree) links() string {
	x.t.Helper()
	return strings.TrimSpace(
		x.sh(`find /etc/systemd /var/lib/systemd/deb-systemd-helper-* -name '*pgfettle*' -type l 2>/dev/null | sort ` +
			`| while read -r at; do
	if [ -e "$at" ]; then echo "$at"; else echo "$at leads nowhere"; fi
done`))
}
