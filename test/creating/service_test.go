package creating

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestClusterOfAService: a cluster that stands as postgresql-NN-setup leaves it, and that does not run, is listed with
// its port and its unit. While its unit is not enabled no memory is kept for it, which is said; once it is, its memory
// is counted.
func TestClusterOfAService(t *testing.T) {
	live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
		s := newSite(t, b)
		major := strconv.Itoa(b.Version.Major())
		data, unit := s.top+"/pgsql/data", "postgresql-"+major+".service"
		s.Sh(`mkdir -p "$0" && chown "$1": "$0"`, data, owner)
		if r := s.run(account(ownerID), nil, b.Tool("initdb"), "-D", data, "-A", "peer"); r.Code != 0 {
			t.Fatal(r)
		}
		s.Sh(`echo "port = 5477" >> "$0/postgresql.conf"
mkdir -p /etc/systemd/system
printf '[Service]\nUser=%s\nEnvironment=PGDATA=%s/\nExecStart=%s -D ${PGDATA}\n' "$1" "$0" "$2" \
	> "/etc/systemd/system/$3"`,
			data, owner, b.Tool("postgres"), unit)

		var list creation.List
		r := s.pgfettle(0, "create", "--list", "--format", "json")
		if err := json.Unmarshal([]byte(r.Stdout), &list); err != nil {
			t.Fatal(err, r)
		}
		want := creation.Cluster{Name: data, Version: major, Port: 5477, State: creation.Stopped, Owner: owner,
			Data: data, Service: unit}
		if !slices.Contains(list.Instances, want) {
			t.Errorf("%+v is not among %+v", want, list.Instances)
		}
		for line := range strings.Lines(s.pgfettle(0, "create", "--list").Stdout) {
			if strings.Count(line, data) > 1 {
				t.Error(line)
			}
		}

		planned := func(port int) *creation.Plan {
			args := s.args("--format", "json", "--plan-only", "--port", strconv.Itoa(port))
			return decode(t, s.pgfettle(0, args...))
		}
		warned := func(p *creation.Plan) bool {
			return slices.ContainsFunc(p.Warnings, func(w say.Message) bool {
				return strings.Contains(w.String(), "No memory is kept for "+data)
			})
		}
		counted := func(p *creation.Plan) bool {
			return slices.ContainsFunc(p.Budget.Neighbours, func(n memory.Neighbour) bool {
				return n.Instance == data && n.Take > 0
			})
		}
		if p := planned(5478); !warned(p) || counted(p) {
			t.Errorf("not enabled: %q %+v", p.Warnings, p.Budget.Neighbours)
		}
		if r := s.pgfettle(5, s.args("--port", "5477")...); !strings.Contains(r.Stderr, "port 5477") ||
			!strings.Contains(r.Stderr, data) {
			t.Error(r)
		}
		s.Sh(fmt.Sprintf(`mkdir -p /etc/systemd/system/multi-user.target.wants
ln -s ../%[1]s /etc/systemd/system/multi-user.target.wants/%[1]s`, unit))
		if p := planned(5478); warned(p) || !counted(p) {
			t.Errorf("enabled: %q %+v", p.Warnings, p.Budget.Neighbours)
		}
	})
}
