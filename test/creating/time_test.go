package creating

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestTimeToConnect prints how long it takes until an instance can be connected to, beside the same initdb and pg_ctl
// start by hand, in turn and on one disk. It holds no clock to anything: PGFETTLE_CREATE_TIMES is how often each is
// done.
func TestTimeToConnect(t *testing.T) {
	rounds := number(t, "PGFETTLE_CREATE_TIMES", 1)
	measured := []int{13, 18}
	if rounds == 1 {
		measured = []int{18}
	}
	live.On(t, measured, func(t *testing.T, b scratch.Binaries) {
		newSite(t, b).time(rounds)
	})
	if debian := installed(t); rounds > 1 {
		t.Run("of Debian", func(t *testing.T) { newSite(t, debian).time(rounds) })
	}
}

// installed are the programs of a package of Debian's; none if there is no such package.
func installed(t *testing.T) (found scratch.Binaries) {
	t.Helper()
	for _, b := range scratch.Installed(t.Context()) {
		if strings.HasPrefix(b.Dir, "/usr/lib/postgresql/") && found.Dir == "" {
			found = b
		}
	}
	return found
}

// time measures both ways to a server.
func (s *site) time(rounds int) {
	s.t.Helper()
	bin := filepath.Dir(s.b.Tool("postgres"))
	var hand, ours []time.Duration
	for range rounds {
		s.Sh(`mkdir -p "$0/hand" "$0/run" && chown "$1:" "$0/hand" "$0/run"`, s.top, owner)
		began := time.Now()
		r := s.run(account(ownerID), nil, "/bin/sh", "-euc", `"$0/initdb" -D "$1" --encoding=UTF8 --locale=C.UTF-8 `+
			`--lc-messages=C --data-checksums --auth-local=peer --auth-host=scram-sha-256 >/dev/null
"$0/pg_ctl" -D "$1" -l "$1/log.txt" -w -o "-k '$2' -p 5499" start >/dev/null`, bin, s.top+"/hand", s.top+"/run")
		hand = append(hand, time.Since(began))
		if r.Code != 0 {
			s.t.Fatal(r)
		}
		if r := s.run(account(ownerID), nil, filepath.Join(bin, "pg_ctl"), "-D", s.top+"/hand", "-m", "fast", "-w",
			"stop"); r.Code != 0 {
			s.t.Fatal(r)
		}
		s.Sh(`rm -rf "$0/hand" "$0/run"`, s.top)
		began = time.Now()
		p := s.create()
		ours = append(ours, time.Since(began))
		s.ask(p, "SELECT 1")
		s.pgfettle(0, "undo", "--yes")
		s.gone()
	}
	slices.Sort(hand)
	slices.Sort(ours)
	ratio := ours[len(ours)/2].Seconds() / hand[len(hand)/2].Seconds()
	s.t.Logf("PostgreSQL %d: create %v, by hand %v, ratio of the medians %s", s.b.Version.Major(), ours, hand,
		strconv.FormatFloat(ratio, 'f', 2, 64))
}
