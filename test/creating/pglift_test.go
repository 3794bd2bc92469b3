package creating

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"testing"

	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// pglift is where .ci/run installs it.
const pglift = "/opt/pglift/bin/pglift"

// TestPglift: the real pglift takes the manifest, makes an instance with every setting of the plan, and finds nothing
// to change when it is given the manifest again.
func TestPglift(t *testing.T) {
	program := pglift
	if _, err := exec.LookPath(program); err != nil {
		if program, err = exec.LookPath("pglift"); err != nil {
			tier.Missing(t, tier.Kernel, "%v", err)
		}
	}
	b := installed(t)
	if b.Dir == "" {
		tier.Missing(t, tier.Servers, "no server of Debian's")
	}
	s := newSite(t, b)
	home := s.top + "/home"
	s.Sh(`mkdir -p "$0/config/pglift"; printf '%s\n' "prefix: $0/prefix" "run_prefix: $0/run" cli: `+
		`"  lock_file: $0/lock" postgresql: "  socket_directory: $0/run" "  surole:" "    name: $1" "  auth:" `+
		`"    passfile: $0/pgpass" > "$0/config/pglift/settings.yaml"; chown -R "$1:" "$0"`, home, owner)
	lift := func(args ...string) cell.Ran {
		r := s.run(account(ownerID), []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config",
			"XDG_DATA_HOME=" + home + "/share", "LC_ALL=C.UTF-8"}, append([]string{"/bin/sh", "-c",
			`cd "$HOME" && exec "$0" "$@"`, program, "--non-interactive"}, args...)...)
		if r.Code != 0 {
			t.Fatal(r)
		}
		return r
	}
	lift("site-configure", "install")
	manifest := s.pgfettle(0, s.args("--format", "pglift")...).Stdout
	s.Sh(`printf '%s' "$1" > "$0/manifest.yaml"; chmod 644 "$0/manifest.yaml"`, home, manifest)
	p := decode(t, s.pgfettle(0, s.args("--plan-only", "--format", "json")...))
	for _, want := range []string{"created", ""} {
		var said struct {
			State string `json:"change_state"`
		}
		r := lift("instance", "apply", "-f", home+"/manifest.yaml", "-o", "json")
		if err := json.Unmarshal([]byte(r.Stdout), &said); err != nil || said.State != want {
			t.Errorf("%q, want %q: %v %s", said.State, want, err, r)
		}
	}
	p.Socket = home + "/run"
	for _, set := range p.Settings {
		switch set.Name {
		case "unix_socket_directories", "cluster_name", "logging_collector", "lc_messages":
			continue // pglift's own
		}
		if got := s.ask(p, "SHOW "+set.Name); got != set.Value {
			t.Errorf("%s is %q, and %q was planned", set.Name, got, set.Value)
		}
	}
	if got := s.ask(p, "SELECT current_setting('port') || current_setting('data_checksums')"); got !=
		strconv.Itoa(p.Port)+map[bool]string{true: "on", false: "off"}[p.Checksums] {
		t.Error(got)
	}
	lift("instance", "drop", strconv.Itoa(p.Version)+"/"+p.Name)
	lift("site-configure", "uninstall")
}
