package plan_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// process is a process of an invented host, as the evidence describes it.
type process struct {
	group   string
	age     float64 // seconds
	private unit.Bytes
	limit   unit.Bytes // of its group; 0: none
	enabled bool
}

// moment is a host at one moment: what runs on it besides the server.
type moment struct {
	spec      string
	processes []process
	kernel    unit.Bytes // slabs that cannot be given back
	history   unit.Bytes // the peak of a watched week; 0 if not watched
	systemd   bool       // otherwise no cgroup is reported, as on a host without it
	settings  map[string]string
}

const (
	momentAt = 1_795_000_000
	uptime   = 40 * 24 * 3600
)

// snapshot is what evidence of that moment means.
func (m moment) snapshot(t testing.TB) *snapshot.Snapshot {
	t.Helper()
	d, err := snapshot.Describe(m.spec)
	if err != nil {
		t.Fatal(err)
	}
	type group map[string]any
	groups := map[string]group{}
	var anon unit.Bytes
	for _, p := range m.processes {
		anon += p.private
		name := p.group
		if !m.systemd {
			name = "/"
		}
		g := groups[name]
		if g == nil {
			g = group{"group": name, "members": []map[string]int64{}}
			groups[name] = g
		}
		if m.systemd && strings.HasSuffix(name, ".service") {
			g["enabled"] = p.enabled
		}
		if m.systemd && p.limit > 0 {
			g["max"] = int64(p.limit)
		}
		g["members"] = append(g["members"].([]map[string]int64),
			map[string]int64{"start": int64((uptime - p.age) * 100), "private": int64(p.private)})
	}
	list := []group{}
	for _, g := range groups {
		list = append(list, g)
	}
	residents, err := json.Marshal(map[string]any{"groups": list,
		"small": map[string]int64{"processes": 40, "rss": 9 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	a := evidence.New()
	add := func(name, text string) {
		if err := a.Add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range d.Names() {
		b, err := d.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		switch name {
		case "evidence.json":
			text = strings.Replace(text, `"taken_at":0`, `"taken_at":`+strconv.Itoa(momentAt), 1)
		case "proc/meminfo":
			lines := strings.Split(text, "\n")
			for i, l := range lines {
				switch {
				case strings.HasPrefix(l, "AnonPages:"):
					lines[i] = fmt.Sprintf("AnonPages: %d kB", anon/unit.KB)
				case strings.HasPrefix(l, "SUnreclaim:"):
					lines[i] = fmt.Sprintf("SUnreclaim: %d kB", m.kernel/unit.KB)
				}
			}
			text = strings.Join(lines, "\n")
		}
		add(name, text)
	}
	add("residents.json", string(residents))
	add("proc/stat", fmt.Sprintf("cpu 1 1 1 1 1 1 1 1\nbtime %d\n", momentAt-uptime))
	if m.history > 0 {
		add("history/peaks.json",
			fmt.Sprintf(
				`{"schema":"pgfettle.peaks/1","from":%[1]d,"to":%[2]d,"days":30,"instances":[],`+
					`"others":{"value":%[3]d,"at":%[1]d,"from":%[1]d,"to":%[2]d,"days":7.9}}`,
				momentAt-8*24*3600, momentAt-600, m.history))
	}
	for _, miss := range d.MissingFiles() {
		if miss.Name != "residents.json" && miss.Name != "proc/stat" {
			a.AddMissing(miss)
		}
	}
	s := read(t, a)
	set, _ := s.Instances[0].Server.Settings.Get()
	for name, v := range m.settings {
		x := set[name]
		x.Value, x.Source = v, "configuration file"
		set[name] = x
	}
	return s
}

// daemons are what a server has for good. They breathe by some percent.
func daemons(r *rand.Rand, breath float64) []process {
	var out []process
	for i, mb := range []float64{14, 9, 33, 61, 22, 48} {
		out = append(out, process{group: fmt.Sprintf("/system.slice/daemon%d.service", i), age: uptime - 20,
			private: unit.Bytes(mb * (1 + breath*(2*r.Float64()-1)) * float64(unit.MB)), enabled: true})
	}
	// one with a limit that it does not always reach
	out = append(out, process{group: "/system.slice/agent.service", age: 5 * 24 * 3600,
		private: unit.Bytes(50+r.IntN(300)) * unit.MB, limit: 512 * unit.MB, enabled: true})
	return out
}

// comers are builds, backups and log rotations under way: of any size while they are young, of any age if systemd
// reports that no service of the host is theirs.
func comers(r *rand.Rand, oldest float64) []process {
	var out []process
	some := func(most int, group string, mb int, age float64) {
		for range r.IntN(most + 1) {
			out = append(out, process{group: group, age: r.Float64() * age,
				private: unit.Bytes(2+r.IntN(mb)) * unit.MB})
		}
	}
	some(16, "/user.slice/user-1000.slice/session-3.scope", 900, oldest) // compilers
	some(2, "/system.slice/cron.service", 2500, oldest)                  // dumps
	some(3, "/system.slice/logrotate.service", 300, min(oldest, 120))    // xz
	some(2, "/system.slice/backup.service", 4000, oldest)                // started by a timer, not enabled
	return out
}

// planText is the plan as its JSON, less the hash.
func planText(t testing.TB, s *snapshot.Snapshot) string {
	t.Helper()
	p, err := plan.Make(s, rules.All(), rule.Options{Profile: rule.Mixed})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range p.Changes {
		out = append(out, fmt.Sprintf("%s %s", c.Address, c.To))
	}
	return strings.Join(out, "\n")
}

// TestOnePlanWhileProgramsComeAndGo: 200 plans of one host, while builds, backups
// and log rotations come and go beside daemons that breathe, are one plan:
// with a watched week and with services that are known whatever comes and for
// however long, else whatever comes for less than ten minutes.
func TestOnePlanWhileProgramsComeAndGo(t *testing.T) {
	const day = 24 * 3600
	for _, c := range []struct {
		name    string
		m       moment
		oldest  float64
		breath  float64
		source  memory.OthersSource
		seeds   []uint64
		hostile func(*rand.Rand) []process
	}{
		{"services", moment{spec: "ram=16GB,cpus=4,storage=ssd,pg=17", systemd: true}, day - 60, 0.1,
			memory.OthersServices, []uint64{1, 2, 3, 4}, nil},
		{"history", moment{spec: "ram=16GB,cpus=4,storage=ssd,pg=17", systemd: true, history: 1700 * unit.MB}, 10 * day,
			0.4, memory.OthersHistory, []uint64{5, 6}, nil},
		{"no services", moment{spec: "ram=32GB,cpus=8,storage=nvme,pg=16"}, 599, 0, memory.OthersNow,
			[]uint64{7, 8}, nil},
		{"small", moment{spec: "ram=4GB,cpus=2,storage=ssd,pg=15", systemd: true}, day - 60, 0.05,
			memory.OthersServices, []uint64{9}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, seed := range c.seeds {
				r := rand.New(rand.NewPCG(seed, 15))
				first, sizes := "", map[unit.Bytes]bool{}
				for i := range 200 {
					m := c.m
					m.kernel = unit.Bytes(60+r.IntN(25)) * unit.MB
					m.processes = append(daemons(r, c.breath), comers(r, c.oldest)...)
					if c.source == memory.OthersNow {
						m.processes = append(daemons(rand.New(rand.NewPCG(1, 1)), 0), comers(r, c.oldest)...)
					}
					s := m.snapshot(t)
					if mem, _ := s.Host.Memory.Get(); !sizes[mem.AnonPages] {
						sizes[mem.AnonPages] = true
					}
					if o, ok := memory.OthersOf(s); !ok || o.Source != c.source {
						t.Fatalf("from %q", o.Source)
					}
					have := planText(t, s)
					if i == 0 {
						first = have
					} else if have != first {
						t.Fatalf("seed %d, plan %d differs:\n%s\n\nfrom the first:\n%s", seed, i+1, have, first)
					}
				}
				if len(sizes) < 150 {
					t.Errorf("seed %d: only %d states of the host differ", seed, len(sizes))
				}
			}
		})
	}
}

// TestSequenceOfOneServer is what was seen of an unchanged server: work_mem went
// from 256 to 192 to 208 to 192MB within minutes, as anonymous memory moved.
func TestSequenceOfOneServer(t *testing.T) {
	var have []string
	for _, young := range []unit.Bytes{0, 2600 * unit.MB, 1900 * unit.MB, 2500 * unit.MB} {
		m := moment{spec: "ram=16GB,cpus=2,storage=ssd,pg=17", systemd: true, kernel: 70 * unit.MB,
			processes: append(daemons(rand.New(rand.NewPCG(3, 3)), 0),
				process{group: "/user.slice/user-0.slice/session-1.scope", age: 200, private: young})}
		have = append(have, planText(t, m.snapshot(t)))
	}
	for i, p := range have {
		if p != have[0] {
			t.Errorf("plan %d is another one:\n%s\n\nthan\n%s", i+1, p, have[0])
		}
	}
}

// stays is a server that other programs of a number of megabytes run beside, with the settings that were planned while
// others held another number; it returns which sizes a plan would change.
type stays struct {
	spec     string
	options  rule.Options
	settings map[string]string
}

func (h stays) moment(mb int) moment {
	return moment{spec: h.spec, settings: h.settings,
		processes: []process{{age: uptime - 20, private: unit.Bytes(mb-9) * unit.MB}}}
}

// apply makes the settings those of a plan.
func (h *stays) apply(t *testing.T, mb int) {
	t.Helper()
	s := h.moment(mb).snapshot(t)
	set, _ := plan.Simulate(s, mustPlan(t, s, h.options)).Instances[0].Server.Settings.Get()
	h.settings = map[string]string{}
	for n, v := range set {
		if v.Source == "configuration file" {
			h.settings[n] = v.Value
		}
	}
}

func (h stays) changes(t *testing.T, mb int) (out []string) {
	t.Helper()
	for _, c := range mustPlan(t, h.moment(mb).snapshot(t), h.options).Changes {
		if n := c.Address.Name(); n == "work_mem" || n == "shared_buffers" || n == "effective_cache_size" {
			out = append(out, n)
		}
	}
	return out
}

// TestEdgeOfAStep: a configuration that depends on one step stays while what is held moves around the edge of it, and
// moves when it has left it.
func TestEdgeOfAStep(t *testing.T) {
	h := stays{spec: "ram=16GB,cpus=2,storage=ssd,pg=17", options: rule.Options{Profile: rule.Mixed}}
	h.apply(t, 3000) // counted as 3 GB
	for mb, same := range map[int]bool{2900: true, 3000: true, 3072: true, 3073: true, 3300: true, 1950: true,
		6100: false, 400: false} {
		if have := h.changes(t, mb); (len(have) == 0) != same {
			t.Errorf("%d MB are held: %v would change", mb, have)
		}
	}
}

// TestProgramsThatEnded: where it is unknown which programs stay, a plan after one that was applied raises nothing
// because some of them have ended: a build of an hour or a copy of a server comes again. When they hold less than half
// of what was kept for them, here 12 GB, the plan is a new one.
func TestProgramsThatEnded(t *testing.T) {
	// without huge pages, as only the settings are applied here
	h := stays{spec: "ram=24GB,cpus=4,storage=ssd,pg=15", options: rule.Options{Profile: rule.Mixed,
		Pins: map[knob.Address]string{"pg:huge_pages": "off"}}}
	h.apply(t, 9500)
	for mb, same := range map[int]bool{9500: true, 8000: true, 7000: true, 6200: true, 5900: false, 3900: false,
		1000: false} {
		if have := h.changes(t, mb); (len(have) == 0) != same {
			t.Errorf("%d MB are held: %v would change", mb, have)
		}
	}
}
