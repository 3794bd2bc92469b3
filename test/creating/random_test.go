package creating

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/test/live"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// TestRandomCombinationsStart draws version, locale provider, memory, directories, a second filesystem for the WAL,
// checksums, segments, profile: what is created starts with all of it, and goes again without a trace.
func TestRandomCombinationsStart(t *testing.T) {
	most, start := number(t, "PGFETTLE_CREATE_COMBINATIONS", 20), seed(t)
	live.OnAtOnce(t, live.Majors, func(t *testing.T, b scratch.Binaries) {
		turns <- struct{}{}
		defer func() { <-turns }()
		major := b.Version.Major()
		s := newSite(t, b)
		s.disk(s.top+"/wal disk", "6G")
		s.seen = s.Files(s.watched()...)
		for n := major - live.Majors[0]; n < most; n += len(live.Majors) {
			s.combination(rand.New(rand.NewPCG(start, uint64(n))), n)
			if t.Failed() {
				return
			}
		}
	})
}

// combination draws one, and holds it.
func (s *site) combination(rng *rand.Rand, n int) {
	s.t.Helper()
	major := s.b.Version.Major()
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	s.data = s.top + pick("/one", "/pg/a b/one", "/pg/"+strconv.Itoa(major)+"/one", "/straße/one")
	args := []string{"--profile", pick(profiles...), "--connections", pick("1", "20", "100", "400"), "--storage",
		pick("nvme", "ssd", "hdd", "san")}
	providers := []string{"libc"}
	if major >= 15 {
		providers = append(providers, "icu")
	}
	if major >= 17 {
		providers = append(providers, "builtin", "builtin")
	}
	want := map[string]string{"SHOW server_encoding": "UTF8", "SHOW data_checksums": "on"}
	provider := pick(append(providers, "")...)
	if provider != "" {
		args = append(args, "--locale-provider", provider)
	}
	switch {
	case provider == "icu":
		args = append(args, "--locale", pick("und", "de", "tr-TR", "en-US-u-co-emoji"))
	case provider == "libc" && rng.IntN(3) == 0:
		args = append(args, "--locale", "C", "--encoding", "latin9")
		want["SHOW server_encoding"] = "LATIN9"
	case provider == "builtin" && rng.IntN(2) == 0:
		args = append(args, "--locale", "C")
	}
	args = append(args, "--memory", pick("300MB", "700MB", "1GB", "2GB"))
	if rng.IntN(2) == 0 {
		args = append(args, "--waldir", s.top+"/wal disk"+pick("/one", "/a/one"))
	}
	if rng.IntN(3) == 0 {
		args = append(args, "--no-checksums")
		want["SHOW data_checksums"] = "off"
	}
	if rng.IntN(2) == 0 {
		size := pick("1", "4", "16", "64", "128")
		args = append(args, "--wal-segsize", size)
		want["SELECT pg_size_bytes(current_setting('wal_segment_size')) >> 20"] = size
	}
	if rng.IntN(3) == 0 {
		args = append(args, "--group-access")
	}
	if rng.IntN(3) == 0 {
		args = append(args, "--allow", pick("10.0.0.0/8", "fd00::/16,192.168.1.0/24"))
		want["SHOW listen_addresses"] = "*"
	}
	s.Sh(`rm -rf /var/lib/pgfettle`)
	p := s.create(args...)
	s.t.Logf("combination %d: %q", n, args)
	for sql, v := range want {
		if got := s.ask(p, sql); got != v {
			s.t.Errorf("%q\n%s: %q, want %q", args, sql, got, v)
		}
	}
	s.inForce(p)
	s.walThere(p)
	s.pgfettle(0, "undo", "--yes")
	s.gone()
}

// walThere verifies that the WAL lies where it was asked for.
func (s *site) walThere(p *creation.Plan) {
	s.t.Helper()
	at := p.WAL
	if at == "" {
		at = p.Data + "/pg_wal"
	}
	if r := s.run(nil, nil, "sh", "-c", `test "$(readlink -f "$0/pg_wal")" = "$1" && ls "$1" | grep -q 00000001`,
		p.Data, at); r.Code != 0 {
		s.t.Errorf("the WAL is not in %s: %s", at, r)
	}
}
