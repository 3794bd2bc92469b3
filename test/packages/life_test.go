package packages

import (
	"debug/elf"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// enabled are the units that can be enabled; the script of each package names them.
const enabled = "pgfettle-serve.service pgfettle-watch.service pgfettle-textfile.timer"

// state makes what the services and an apply leave behind.
const state = `mkdir -p -m 0700 /var/lib/pgfettle/journal /var/lib/pgfettle-watch; mkdir -p ` +
	`/var/lib/pgfettle-textfile /var/lib/prometheus/node-exporter
echo '{}' >/var/lib/pgfettle/journal/20261122T000000Z-abcdef.jsonl; echo x >/var/lib/pgfettle-watch/history.db; ` +
	`chown pgfettle: /var/lib/pgfettle-watch
ln -sfn /var/lib/pgfettle-textfile/pgfettle.prom /var/lib/prometheus/node-exporter/pgfettle.prom`

// kept are the names of state that are still there.
const kept = `for at in /var/lib/pgfettle/journal/*.jsonl /var/lib/pgfettle /var/lib/pgfettle-watch ` +
	`/var/lib/pgfettle-textfile /var/lib/prometheus/node-exporter/pgfettle.prom; do
	[ ! -e "$at" ] && [ ! -L "$at" ] || echo "$at"
done`

// asks holds what systemd was asked: each pattern by one call, in this order, and
// nothing else but to read its files again.
func asks(t *testing.T, when string, calls []string, want ...string) {
	t.Helper()
	rest := slices.DeleteFunc(slices.Clone(calls), func(s string) bool { return strings.HasSuffix(s, "daemon-reload") })
	ok := len(rest) == len(want)
	for i := range want {
		ok = ok && regexp.MustCompile("^"+want[i]+"$").MatchString(rest[i])
	}
	if !ok {
		t.Errorf("%s systemd is asked %q, want %q", when, calls, want)
	}
}

func account(t *testing.T, x *tree) {
	t.Helper()
	// A system account without a shell and without a home, in no group but its own.
	line := strings.TrimSpace(x.sh(`getent passwd pgfettle; id -Gn pgfettle`))
	if !regexp.MustCompile(
		`^pgfettle:[^:]*:[0-9]{1,3}:[0-9]{1,3}:[^:]*:/nonexistent:\S*/nologin\npgfettle$`).MatchString(line) {
		t.Errorf("the account is %q", line)
	}
}

// TestDebLife: a package that is installed, upgraded, removed and purged asks systemd
// for what Debian's own packages ask: nothing is enabled or started, an upgrade
// restarts what runs, a removal ends it and leaves no link that leads nowhere, and
// only a purge takes the journals.
func TestDebLife(t *testing.T) {
	arch := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[hostMachine(t)]
	deb := one(t, dist(t), "pgfettle_*_"+arch+".deb")
	next, parts := filepath.Join(t.TempDir(), "next.deb"), filepath.Join(t.TempDir(), "parts")
	tool(t, "dpkg-deb", "-R", deb, parts)
	control := filepath.Join(parts, "DEBIAN", "control")
	b, err := os.ReadFile(control)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(control, regexp.MustCompile(`(?m)^Version: .*$`).ReplaceAll(b, []byte("Version: 9999")),
		0o644); err != nil {
		t.Fatal(err)
	}
	tool(t, "dpkg-deb", "--root-owner-group", "-Znone", "-b", parts, next)
	x := newTree(t)
	x.put(deb, "/this.deb")
	x.put(next, "/next.deb")

	x.sh(`dpkg -i /this.deb`)
	asks(t, "installed", x.calls())
	if l := x.links(); l != "" {
		t.Errorf("installed, a unit is enabled: %s", l)
	}
	account(t, x)
	x.sh("systemctl enable " + enabled + "; " + state)
	links := x.links()
	if strings.Count(links, "\n") != 2 || strings.Contains(links, "nowhere") {
		t.Fatalf("enabled: %s", links)
	}
	x.calls()

	x.sh(`dpkg -i /next.deb`)
	calls := x.calls()
	asks(t, "upgraded", calls, "deb-systemd-invoke try-restart "+enabled)
	if len(calls) > 0 && !strings.HasSuffix(calls[0], "daemon-reload") {
		t.Errorf("upgraded, it is restarted before its files are read: %q", calls)
	}
	if l := x.links(); l != links {
		t.Errorf("upgraded, the links are %s", l)
	}

	out := x.sh(`dpkg -r pgfettle`)
	asks(t, "removed", x.calls(), "deb-systemd-invoke stop "+enabled+" pgfettle-textfile.service")
	if l := x.links(); l != "" {
		t.Errorf("removed, there are links: %s", l)
	}
	if have := x.sh(
		kept); have != "/var/lib/pgfettle/journal/20261122T000000Z-abcdef.jsonl\n/var/lib/pgfettle\n/var/lib/pgfettle-watch\n/var/lib/pgfettle-textfile\n" || !strings.Contains(out, "its journals stay in /var/lib/pgfettle/journal") {
		t.Errorf("removed, there is %s, and it says %s", have, out)
	}

	x.sh(`dpkg -i /this.deb`)
	asks(t, "installed again", x.calls(), "deb-systemd-invoke try-restart "+enabled) // of what does not run: nothing
	if l := x.links(); l != "" {
		t.Errorf("installed again, a unit is enabled: %s", l)
	}
	x.sh("systemctl enable " + enabled)
	x.calls()

	x.sh(`dpkg -P pgfettle`)
	asks(t, "purged", x.calls(), "deb-systemd-invoke stop "+enabled+" pgfettle-textfile.service")
	if l, have := x.links(), x.sh(kept); l != "" || have != "" {
		t.Errorf("purged, there are %s and %s", l, have)
	}
	if left := x.sh(`find /etc /var/lib -name '*pgfettle*' -not -path '/var/lib/dpkg/*'`); left != "" {
		t.Errorf("purged, there are still %s", left)
	}
	account(t, x) // its number must not become another's
}

// TestDebUninvited: a mask and links that an administrator made belong to the administrator: an upgrade and a purge
// leave them alone, or as he made them.
func TestDebUninvited(t *testing.T) {
	arch := map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[hostMachine(t)]
	x := newTree(t)
	x.put(one(t, dist(t), "pgfettle_*_"+arch+".deb"), "/this.deb")
	x.sh(`useradd --system --no-create-home --home-dir /srv/mine --shell /bin/sh pgfettle; dpkg -i /this.deb; ` +
		`systemctl.real --root=/ mask pgfettle-serve.service; mkdir -p /etc/systemd/system/pgfettle-watch.service.d; ` +
		`echo '[Service]' >/etc/systemd/system/pgfettle-watch.service.d/mine.conf`)
	x.calls()
	x.sh(`dpkg -i /this.deb`)
	if l := x.links(); l != "/etc/systemd/system/pgfettle-serve.service" {
		t.Errorf("his mask: %s", l)
	}
	if line := x.sh(`getent passwd pgfettle`); !strings.Contains(line, ":/srv/mine:/bin/sh") {
		t.Errorf("his account: %s", line)
	}
	x.sh(`dpkg -P pgfettle`)
	if l := x.sh(
		`readlink /etc/systemd/system/pgfettle-serve.service; ls ` +
			`/etc/systemd/system/pgfettle-watch.service.d`); l != "/dev/null\nmine.conf\n" {
		t.Errorf("purged: %s", l)
	}
}

// TestRPMLife is TestDebLife for the rpm: its scripts ask what the macros
// %systemd_post, %systemd_preun and %systemd_postun_with_restart ask, with the helper
// that systemd has since 250 and without. An rpm knows no purge: the state stays.
func TestRPMLife(t *testing.T) {
	arch := map[elf.Machine]string{elf.EM_X86_64: "x86_64", elf.EM_AARCH64: "aarch64"}[hostMachine(t)]
	rpm := one(t, dist(t), "pgfettle-*."+arch+".rpm")
	for name, c := range map[string]struct {
		before                  string
		install, upgrade, erase string
	}{
		"systemd before 250": {install: "systemctl --no-reload preset " + enabled,
			upgrade: "systemctl try-restart " + enabled, erase: "systemctl --no-reload disable --now " + enabled},
		"systemd since 250": {
			before: `cat >/usr/lib/systemd/systemd-update-helper <<'END'
#!/bin/sh
echo "helper $*" >>/asked
command=$1; shift
case $command in
install-system-units) systemctl --no-reload preset "$@" ;;
remove-system-units) systemctl --no-reload disable --now "$@" ;;
esac
END
chmod 755 /usr/lib/systemd/systemd-update-helper`,
			install: "helper install-system-units " + enabled, upgrade: "helper mark-restart-system-units " + enabled,
			erase: "helper remove-system-units " + enabled,
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTree(t)
			x.put(rpm, "/this.rpm")
			if c.before != "" {
				x.sh(c.before)
			}
			first := func(calls []string) []string { // what the helper asks of systemd is its own matter
				if c.before != "" {
					calls = slices.DeleteFunc(calls, func(s string) bool {
						return strings.HasPrefix(s, "systemctl --no-reload ")
					})
				}
				return calls
			}
			x.sh(`rpm --initdb --dbpath /rpmdb; rpm --dbpath /rpmdb --nodeps -i /this.rpm`)
			asks(t, "installed", first(x.calls()), c.install)
			if l := x.links(); l != "" {
				t.Errorf("installed, a unit is enabled: %s", l)
			}
			account(t, x)
			x.sh("systemctl enable " + enabled + "; " + state)
			links := x.links()
			if strings.Count(links, "\n") != 2 {
				t.Fatalf("enabled: %s", links)
			}
			x.calls()
			x.sh(`rpm --dbpath /rpmdb --nodeps -U --force /this.rpm`)
			asks(t, "upgraded", first(x.calls()), c.upgrade)
			if l := x.links(); l != links {
				t.Errorf("upgraded, the links are %s", l)
			}
			out := x.sh(`rpm --dbpath /rpmdb -e pgfettle`)
			asks(t, "erased", first(x.calls()), c.erase)
			if l := x.links(); l != "" {
				t.Errorf("erased, there are links: %s", l)
			}
			if have := x.sh(kept); !strings.HasPrefix(have, "/var/lib/pgfettle/journal/") ||
				strings.Contains(have, "prometheus") || !strings.Contains(out,
				"its journals stay in /var/lib/pgfettle/journal") {
				t.Errorf("erased, there is %s, and it says %s", have, out)
			}
		})
	}
}
