package creating

import (
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestPgpass: with the line that was appended, its user logs in over TCP without a prompt; no journal has the password;
// undo gives back the file as it was, and a file that libpq would not read is refused.
func TestPgpass(t *testing.T) {
	live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
		s := newSite(t, b)
		home, journal := s.Dir+"/home", s.top+"/mine/journal"
		s.Sh(`mkdir -p "$0" "$2" && chown "$1:" "$0" "$2" && chmod 700 "$2"
(umask 077; printf '%s' 'a:b\:c\\d' > "$3"; echo '# a:b' > "$4"; chown "$1:" "$3" "$4")`, home, other, s.top+"/mine",
			s.top+"/password", s.top+"/both")
		args := append(s.args("--datadir", s.top+"/mine/pg/one", "--socket-dir", s.top+"/mine/run"), "--journal",
			journal,
			"--format", "json", "--pgpass", "--password-file", s.top+"/password")
		for n, a := range args {
			if a == owner {
				args[n] = other
			}
		}
		for _, text := range []string{"", "other:1:*:u:p", "other:1:*:u:p\n"} {
			file := home + "/.pgpass"
			s.Sh(`rm -f "$0"; [ -z "$1" ] || { (umask 077; printf '%s' "$1" > "$0"); chown "$2:" "$0"; }`, file, text,
				other)
			before := s.Files(home)
			p := decode(t, s.want(0, account(otherID), args...))
			r := s.psql(account(otherID), []string{"HOME=" + home}, "-h", "localhost", "-p", strconv.Itoa(p.Port), "-U",
				other, "-c", "SELECT 1")
			if r.Code != 0 {
				t.Errorf("%q: %s", text, r)
			}
			if mode := s.Sh(`stat -c %a "$0"`, file); mode != "600\n" {
				t.Errorf("mode %s", mode)
			}
			if r := s.run(nil, nil, "grep", "-rlF", `b\:c`, journal, s.top+"/mine/pg"); r.Code != 1 {
				t.Errorf("the password: %s", r)
			}
			s.want(0, account(otherID), "undo", "--yes", "--journal", journal)
			if d := differs(before, s.Files(home)); d != "" {
				t.Errorf("%q:\n%s", text, d)
			}
		}
		for sh, says := range map[string]string{
			`echo > "$0"; chown "$1:" "$0"; chmod 640 "$0"`: "its mode is 0640",
			`ln -s /etc/passwd "$0"`:                        "a symbolic link",
			`mkdir "$0"`:                                    "not a file",
			`(umask 077; echo > "$0")`:                      "it belongs to user 0",
		} {
			s.Sh(`rm -rf "$0"; `+sh, home+"/.pgpass", other)
			r := s.run(account(otherID), nil, append([]string{binary(t)}, args...)...)
			if text := strings.Join(strings.Fields(r.Stderr), " "); r.Code != 5 || !strings.Contains(text, says) {
				t.Errorf("%s: %s", sh, r)
			}
		}
	})
}
