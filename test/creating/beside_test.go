package creating

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/live"
)

// TestBesideARunningOne: a second instance gets another port, counts what the first one may take, fits with it into the
// memory of the host, and the first one is left as it is.
func TestBesideARunningOne(t *testing.T) {
	live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
		s := newSite(t, b)
		first := s.create()
		files := s.Files(first.Data + "/conf.d")
		second := *s
		second.data, second.sock = s.top+"/pg/two", s.top+"/run2"
		args := second.args("--format", "json")
		args[1] = strconv.Itoa(b.Version.Major()) + "/two"
		r := s.pgfettle(0, args...)
		p := decode(t, r)
		if p.Port == first.Port {
			t.Errorf("ports %d and %d", first.Port, p.Port)
		}
		n := slices.IndexFunc(p.Budget.Neighbours, func(n memory.Neighbour) bool { return n.Instance == first.Data })
		if n < 0 || p.Budget.Neighbours[n].Take <= 0 {
			t.Fatalf("the first one is not counted: %+v", p.Budget)
		}
		// what servers of other tests may take at this moment is not what this test is about
		others := p.Budget.After.Beside - p.Budget.Neighbours[n].Take
		if short := p.Budget.After.Shortfall; short > others {
			t.Errorf("it does not fit: %+v", p.Budget)
		}
		s.ask(p, "SELECT 1")
		s.ask(first, "SELECT 1")
		if d := differs(files, s.Files(first.Data+"/conf.d")); d != "" {
			t.Errorf("the configuration of the first one was changed: %s", d)
		}
		for _, one := range []string{first.Data, p.Data} {
			if list := s.pgfettle(0, "create", "--list").Stdout; !strings.Contains(list, one) {
				t.Errorf("%s is not listed: %s", one, list)
			}
		}
		// one whose port is asked for, and taken
		args = append(args, "--port", strconv.Itoa(first.Port))
		args[slices.Index(args, second.data)] = s.top + "/pg/three"
		args[1] = strconv.Itoa(b.Version.Major()) + "/three"
		if r := s.pgfettle(5, args...); !strings.Contains(r.Stderr, fmt.Sprintf("port %d is in use", first.Port)) {
			t.Error(r)
		}
		// more memory than there is
		args = append(args, "--port", "auto", "--memory", "100TB")
		r = s.pgfettle(5, args...)
		// the first five are named: in a run of the whole suite servers of other tests may take more than this one
		named := strings.Contains(r.Stderr, first.Data) || strings.Count(r.Stderr, " may take ") >= 5
		if !named || !strings.Contains(r.Stderr, "100 TB of memory are not left") {
			t.Error(r)
		}
		s.pgfettle(0, "create", "--drop", strconv.Itoa(b.Version.Major())+"/two", "--yes")
		s.ask(first, "SELECT 1")
		s.pgfettle(0, "create", "--drop", strconv.Itoa(b.Version.Major())+"/one", "--yes")
		s.gone()
	})
}

// TestOneWinsThePort: of many who create at once on one port one gets it; the others leave nothing, and say why.
func TestOneWinsThePort(t *testing.T) {
	for _, how := range []string{"one journal", "a journal each"} {
		t.Run(how, func(t *testing.T) {
			live.On(t, live.Some()[1:2], func(t *testing.T, b scratch.Binaries) {
				s := newSite(t, b)
				// only the port is one for all
				s.Sh(`mkdir "$0" && chown "$1" "$0"`, s.sock, owner)
				const many = 4
				type one struct {
					cmd *exec.Cmd
					ran cell.Ran
				}
				all := make([]one, many)
				done := make(chan int)
				for n := range all {
					mine := *s
					mine.data = fmt.Sprintf("%s/pg%d", s.top, n)
					args := append(mine.args("--port", "5455"), "--wait")
					args[1] = fmt.Sprintf("%d/n%d", b.Version.Major(), n)
					if how != "one journal" {
						args = append(args, "--journal", fmt.Sprintf("%s/home/j%d/journal", s.Dir, n))
					}
					all[n].cmd = s.cmd(nil, nil, append([]string{binary(t)}, args...)...)
				}
				for n := range all {
					go func() {
						all[n].ran = ended(t, all[n].cmd, all[n].cmd.Args)
						done <- n
					}()
				}
				for range all {
					<-done
				}
				won := -1
				for n, o := range all {
					switch {
					case o.ran.Code == 0 && won < 0:
						won = n
					case o.ran.Code == 0:
						t.Errorf("two have won: %s\n%s", all[won].ran, o.ran)
					// with one journal they come one after the other, and nothing is begun for those that come later
					case how == "one journal" && (!slices.Contains([]int{4, 5}, o.ran.Code) ||
						!strings.Contains(o.ran.Stderr, "port 5455 is in use")),
						!slices.Contains([]int{4, 5, 6}, o.ran.Code),
						!strings.Contains(o.ran.Stderr, "5455") && !strings.Contains(o.ran.Stderr, "in use"):
						t.Errorf("it does not say why: %s", o.ran)
					}
				}
				if won < 0 {
					t.Fatalf("nobody has won: %v", all)
				}
				left, err := filepath.Glob(s.Path(s.top) + "/pg*")
				if err != nil || len(left) != 1 || filepath.Base(left[0]) != fmt.Sprintf("pg%d", won) {
					t.Errorf("the others have left %v (%v)", left, err)
					for _, o := range all {
						t.Log(o.ran)
					}
				}
				r := s.psql(account(ownerID), nil, "-h", s.sock, "-p", "5455", "-U", owner, "-c", "SHOW data_directory")
				if strings.TrimSpace(r.Stdout) != fmt.Sprintf("%s/pg%d", s.top, won) {
					t.Error(r)
				}
			})
		})
	}
}
