package units

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/test/tier"
)

// settings are the lines of a unit file, by name; those that name one twice have both.
func settings(t *testing.T, name string) map[string][]string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(k, "#") {
			out[k] = append(out[k], v)
		}
	}
	return out
}

// TestServicesAreNotRoot: each service runs as the account of the packages, without any capability and without a way to
// get one, and writes where root trusts nothing: systemd gives a state directory to the account with all that is in it,
// so that of root's journals is none of them.
func TestServicesAreNotRoot(t *testing.T) {
	for _, name := range units(t) {
		s := settings(t, name)
		for k, want := range map[string]string{
			"User": "pgfettle", "CapabilityBoundingSet": "", "AmbientCapabilities": "", "NoNewPrivileges": "yes",
			"ProtectSystem": "strict", "ProtectHome": "read-only", "RestrictSUIDSGID": "yes",
			"RestrictNamespaces": "yes", "LockPersonality": "yes", "MemoryDenyWriteExecute": "yes",
			"RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6 AF_NETLINK",
		} {
			if got := s[k]; len(got) != 1 || got[0] != want {
				t.Errorf("%s: %s=%q, want %q", name, k, got, want)
			}
		}
		for _, k := range []string{"StateDirectory", "RuntimeDirectory", "CacheDirectory", "LogsDirectory",
			"ConfigurationDirectory", "ReadWritePaths"} {
			for _, v := range s[k] {
				for _, dir := range strings.Fields(v) {
					if dir == "pgfettle" || strings.HasPrefix(dir, "pgfettle/") ||
						strings.HasPrefix(dir, "/var/lib/pgfettle/") || dir == "/var/lib/pgfettle" {
						t.Errorf("%s: %s=%s is root's folder", name, k, v)
					}
				}
			}
		}
		for k, list := range s { // what systemd runs as root is the one line that says why
			for _, v := range list {
				if strings.HasPrefix(k, "Exec") && strings.ContainsAny(v[:1], "+!") &&
					v != "+/bin/ln -sfn /var/lib/pgfettle-textfile/pgfettle.prom "+
						"/var/lib/prometheus/node-exporter/pgfettle.prom" {
					t.Errorf("%s: %s=%s runs as root", name, k, v)
				}
			}
		}
	}
}

// TestServeUnitAsksForItsToken: the pages are not for every account of the host: the unit does not say --no-token, and
// has the directory that its token goes to.
func TestServeUnitAsksForItsToken(t *testing.T) {
	s := settings(t, "../../packaging/pgfettle-serve.service")
	if len(s["ExecStart"]) != 1 || strings.Contains(s["ExecStart"][0], "--no-token") ||
		!slices.Contains(s["RuntimeDirectory"], "pgfettle-serve") {
		t.Errorf("%q %q", s["ExecStart"], s["RuntimeDirectory"])
	}
}

// worst is the exposure that systemd-analyze security may find, of 10. What is left
// is what these services are for: the host's processes, network and devices have to
// be seen, and /tmp holds sockets. 2.7 was measured.
const worst = 3.0

// TestExposure: systemd's own measure of what a service could do.
func TestExposure(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		tier.Missing(t, tier.System, "systemd-analyze is missing: install systemd")
	}
	for _, name := range units(t) {
		at, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--no-pager", at).CombinedOutput()
		m := regexp.MustCompile(`Overall exposure level for \S+: (\S+)`).FindSubmatch(out)
		if m == nil {
			t.Fatalf("%s: %v %s", name, err, out)
		}
		var level float64
		if json.Unmarshal(m[1], &level) != nil || level > worst {
			t.Errorf("%s: %s", name, m[0])
		}
	}
}

// TestDropIns: the drop-ins that docs/services.md shows are taken by systemd, on top
// of the unit that they are for.
func TestDropIns(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		tier.Missing(t, tier.System, "systemd-analyze is missing: install systemd")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../../docs/services.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```ini\n# systemctl edit (\\S+)\n(.*?)```").FindAllStringSubmatch(string(b), -1)
	if len(blocks) < 3 {
		t.Fatalf("%d drop-ins", len(blocks))
	}
	for _, block := range blocks {
		unit := block[1]
		if !strings.Contains(unit, ".") {
			unit += ".service"
		}
		text, err := os.ReadFile(filepath.Join("../../packaging", unit))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for name, s := range map[string]string{unit: string(text), unit + ".d/override.conf": block[2]} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(s, "/usr/bin/pgfettle", self)),
				0o644); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := exec.Command("systemd-analyze", "verify", "--man=no",
			filepath.Join(dir, unit)).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s with\n%s: %v: %s", unit, block[2], err, out)
		}
	}
}
