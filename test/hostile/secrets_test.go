package hostile

import (
	"os"
	"strings"
	"testing"
)

// TestPasswordsAreKept: a process that calls itself a server asks for root's password in every way, over a socket and
// over TCP, found, trusted, and named by its data directory. It gets nothing, and the report says what asked.
func TestPasswordsAreKept(t *testing.T) {
	for _, auth := range []string{"cleartext", "md5", "scram", "gss"} {
		for _, way := range []string{"socket", "tcp"} {
			t.Run(auth+" over "+way, func(t *testing.T) {
				w := newWorld(t)
				w.Sh(`printf '*:*:*:*:%s\n' "$1" > "$0/pgpass"; chmod 600 "$0/pgpass"`, w.roots, secret)
				data := w.home + "/data"
				env := []string{"ROLE_AUTH=" + auth, "ROLE_SOCK=" + w.sticky}
				if way == "tcp" {
					env = []string{"ROLE_AUTH=" + auth, "ROLE_TCP=127.0.0.1:0"}
				}
				w.fake(mallory, data, env...)
				for _, args := range [][]string{{"check"}, {"check", data}, {"check", "--trust", data}} {
					r := w.root(args...)
					if len(args) > 1 && !strings.Contains(r.Stdout+r.Stderr, "password") && auth != "gss" {
						t.Errorf("%v does not say that it was asked for a password: %v", args, r)
					}
				}
				// of .pgpass alone
				w.rootWith([]string{"PGPASSWORD="}, "check", data)
				b, err := os.ReadFile(w.caught)
				if err != nil || !strings.Contains(string(b), "connected") {
					t.Errorf("nobody asked: the test proves nothing (%v)", err)
				}
				for line := range strings.Lines(string(b)) {
					if strings.Contains(line, `"p\x00`) || strings.Contains(line, `"p`) {
						t.Errorf("an answer was given: %s", line)
					}
				}
			})
		}
	}
}

// TestNamedByAnother: a lock file names the process, the socket or the address of another user's server.
func TestNamedByAnother(t *testing.T) {
	w := newWorld(t)
	w.Sh(`printf '*:*:*:*:%s\n' "$1" > "$0/pgpass"; chmod 600 "$0/pgpass"`, w.roots, secret)
	w.fake(eve, w.eves+"/data", "ROLE_SOCK="+w.sticky, "ROLE_PORT=54322")
	pid := first(t, w.eves+"/data/postmaster.pid")
	port := w.fake(eve, w.eves+"/other", "ROLE_TCP=127.0.0.1:0")
	for name, env := range map[string][]string{
		"the process of another": {"ROLE_PID=" + pid, "ROLE_NAMED_SOCK=" + w.sticky,
			"ROLE_NAMED_PORT=54322"},
		"the process of root":               {"ROLE_PID=1", "ROLE_NAMED_SOCK=" + w.sticky, "ROLE_NAMED_PORT=54322"},
		"the socket of another":             {"ROLE_NAMED_SOCK=" + w.sticky, "ROLE_NAMED_PORT=54322"},
		"the address of another":            {"ROLE_HOST=1", "ROLE_NAMED_PORT=" + port},
		"a socket in a folder of root's":    {"ROLE_NAMED_SOCK=" + w.roots},
		"a socket by way of this process's": {"ROLE_NAMED_SOCK=/proc/self/cwd"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			data := w.home + "/" + strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), "'", "")
			w.fake(mallory, data, env...)
			for _, args := range [][]string{
				{"check", data},
				{"check", "--trust", data},
				{"apply", data, "--yes", "--max-effect", "restart", serverOnly},
			} {
				w.root(args...)
			}
			if b, err := os.ReadFile(w.caught); err != nil || strings.Contains(string(b), "connected") {
				t.Errorf("a server of another account was spoken to: %s (%v)", b, err)
			}
			if err := os.Truncate(w.caught, 0); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestEnvironmentOfRoot: services, options and files that root's environment names
// are for the servers that root names.
func TestEnvironmentOfRoot(t *testing.T) {
	w := newWorld(t)
	data := w.home + "/data"
	w.fake(mallory, data, "ROLE_SOCK="+w.sticky)
	w.Sh(`printf '[x]\nhost=%s\nport=54321\nuser=root\npassword=%s\n' "$1" "$2" > "$0/services"; chmod 600 `+
		`"$0/services"`, w.roots, w.sticky, secret)
	w.rootWith([]string{"PGSERVICEFILE=" + w.roots + "/services", "PGOPTIONS=-c secret.option=" + secret,
		"PGSSLKEY=" + w.roots + "/secret"}, "check", data)
	b, err := os.ReadFile(w.caught)
	if err != nil || strings.Contains(string(b), "option") {
		t.Errorf("%s (%v)", b, err)
	}
}

// TestRequirePeer: what the user requires of the named server is enforced, and what cannot be enforced is refused.
func TestRequirePeer(t *testing.T) {
	w := newWorld(t)
	w.fake(mallory, w.home+"/data", "ROLE_SOCK="+w.sticky)
	for _, guard := range []string{"requirepeer=postgres", "sslcrl=" + w.roots + "/crl", "gssencmode=require",
		"require_auth=scram-sha-256"} {
		if r := w.root("check", "host="+w.sticky+" port=54321 user=x "+guard); r.Code == 0 {
			t.Errorf("%s: %v", guard, r)
		}
	}
}
