package snapshot

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// files makes evidence of one running instance and changes some of it; a text
// of "-" takes a file away.
func files(changes map[string]string) fstest.MapFS {
	all := map[string]string{
		"evidence.json": `{"tool":"pgfettle","taken_at":1795254212,"host_seen":true,"root":true}`,
		"host.json":     `{"page_size":4096,"systemd":true,"machine":"x86_64"}`,
		"instances.json": `[{"key":"1","pid":100,"data_directory":"/srv/b","port":5433,"running":true,` +
			`"bin_dir":"/usr/pgsql-16/bin",
			"processes":[100,101,102],"unit":"postgresql-16.service","manager":"","notes":["the server is starting"]}]`,
		"proc/meminfo":        "MemTotal: 4096 kB\n",
		"proc/self/mountinfo": "20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n",
		"proc/100/status": "Name:\tpostgres\nPid:\t100\nPPid:\t1\nUid:\t26\t26\t26\t26\nVmSize:\t200000 " +
			"kB\nVmRSS:\t20 kB\nRssAnon:\t8 kB\nRssFile:\t8 kB\nRssShmem:\t4 kB\nVmPTE:\t100 kB\nVmSwap:\t0 kB\n",
		"proc/100/cmdline": "/usr/pgsql-16/bin/postgres\x00-D\x00/srv/b\x00",
		"proc/102/status": "Name:\tpostgres\nPid:\t102\nPPid:\t100\nUid:\t26\t26\t26\t26\nVmSize:\t200000 " +
			"kB\nVmRSS:\t20 kB\nRssAnon:\t4 kB\nRssFile:\t8 kB\nRssShmem:\t8 kB\nVmPTE:\t60 kB\nVmSwap:\t0 kB\n",
		"proc/102/cmdline": "postgres: app app [local] idle\x00",
		"pg/1/places.json": `[{"role":"data","path":"/srv/b","device":"8:1","mode":"0700",` +
			`"uid":26}]`,
		"pg/1/settings.json": `{"columns":["name","setting","unit","vartype","context",` +
			`"source","pending_restart"],"rows":[["server_version_num","160015",null,"integer","internal","default",` +
			`"f"]]}`,
		"cmd/systemctl-show-postgresql-16.service": "Id=postgresql-16.service\nOOMPolicy=stop\n",
	}
	for name, text := range changes {
		all[name] = text
	}
	out := fstest.MapFS{}
	for name, text := range all {
		if text != "-" {
			out[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return out
}

func read(t *testing.T, changes map[string]string) *Snapshot {
	t.Helper()
	s, err := Read(files(changes))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReadInstance(t *testing.T) {
	s := read(t, nil)
	if s.TakenAt != 1795254212 || !s.HostSeen || !s.Root || s.Schema != Schema || len(s.Instances) != 1 {
		t.Fatalf("%+v", s)
	}
	in := s.Instances[0]
	if port, ok := in.Port.Get(); !ok || port != 5433 {
		t.Error("port", in.Port)
	}
	if m, ok := in.Manager.Get(); !ok || m != "" {
		t.Error("manager", in.Manager)
	}
	if u, ok := in.Unit.Get(); !ok || u.OOMPolicy != "stop" {
		t.Error("unit", in.Unit)
	}
	if v, ok := in.Server.Version.Get(); !ok || v.Major() != 16 {
		t.Error("version", in.Server.Version)
	}
	if d := cmp.Diff([]string{"the server is starting"}, in.Notes); d != "" {
		t.Error(d)
	}
	ps, ok := in.Processes.Get()
	if !ok || len(ps) != 2 || ps[0].PID != 100 || ps[1].PID != 102 {
		t.Errorf("processes: %+v, %v; want the postmaster and the backend that is still there", ps, in.Processes.Gap())
	}
}

// What could not be known keeps the reason that the collector gave.
func TestReadKeepsReasons(t *testing.T) {
	a := evidence.New()
	for name, f := range files(map[string]string{
		"instances.json": `[{"key":"1","pid":100,"running":true,"processes":[100]}]`}) {
		if err := a.Add(name, f.Data); err != nil {
			t.Fatal(err)
		}
	}
	a.AddMissing(evidence.Missing{Name: "pg/1/port", State: known.Forbidden, Reason: "closed", Reveal: "a right"})
	s, err := Read(a)
	if err != nil {
		t.Fatal(err)
	}
	in := s.Instances[0]
	if in.Port.State() != known.Forbidden || in.Port.Gap() != (known.Gap{Fact: "pg/1/port", Reason: "closed",
		Reveal: "a right"}) {
		t.Errorf("%v %+v", in.Port.State(), in.Port.Gap())
	}
	if in.Unit.State() != known.Absent || in.BinDir.Known() || in.Manager.Known() || in.DataDirectory.Known() {
		t.Errorf("%+v", in)
	}
}

// A stopped instance has no processes, and says nothing of process 0.
func TestReadStoppedInstance(t *testing.T) {
	s := read(t, map[string]string{"instances.json": `[{"key":"1","data_directory":"/srv/b","running":false}]`})
	in := s.Instances[0]
	if run, ok := in.Running.Get(); !ok || run || in.Processes.Known() || in.Limits.Known() || in.CGroup.Known() ||
		!in.Places.Known() {
		t.Errorf("%+v", in)
	}
}

// Every fact of a host that was not inspected is missing, even where files of the client's machine are in the evidence,
// and each says why.
func TestReadFromAfarTakesNothingForTheHost(t *testing.T) {
	s := read(t, map[string]string{
		"evidence.json":          `{"tool":"pgfettle","taken_at":1,"host_seen":false,"root":true}`,
		"proc/sys/vm/swappiness": "60\n", "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
		"statfs.json": "[]", "blocks.json": "[]", "proc/swaps": "Filename Type Size Used Priority\n",
	})
	seen := 0
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if f, ok := v.Interface().(interface {
			State() known.State
			Gap() known.Gap
		}); ok {
			seen++
			if f.State() == known.Present {
				t.Errorf("%s is taken for a fact of the host", path)
			} else if g := f.Gap(); !strings.Contains(g.Reason, "reached by SQL only") ||
				g.Reveal != "run pgfettle on the database host" {
				t.Errorf("%s: %+v", path, g)
			}
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				walk(fmt.Sprintf("%s[%v]", path, k), v.MapIndex(k))
			}
		}
	}
	walk("Host", reflect.ValueOf(s.Host))
	if seen < 50 {
		t.Errorf("only %d facts were looked at", seen)
	}
	in := s.Instances[0]
	for name, known := range map[string]bool{"processes": in.Processes.Known(), "limits": in.Limits.Known(),
		"cgroup": in.CGroup.Known(),
		"unit":   in.Unit.Known(), "places": in.Places.Known()} {
		if known {
			t.Errorf("%s of the client's machine are taken for the server's", name)
		}
	}
	if !in.Server.Version.Known() || !in.Port.Known() {
		t.Error("what the server said is missing")
	}
}

func TestReadRefuses(t *testing.T) {
	many := func(n int, one string) string { return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]" }
	for what, c := range map[string]map[string]string{
		"evidence.json: ":            {"evidence.json": "-"},
		"instances.json: ":           {"instances.json": "-"},
		"instances.json: malformed":  {"instances.json": `{"key":1}`},
		"evidence.json: malformed":   {"evidence.json": `[`},
		"not usable":                 {"instances.json": `[{"key":"../1"}]`},
		"key \"\" is not usable":     {"instances.json": `[{}]`},
		"appears twice":              {"instances.json": `[{"key":"1"},{"key":"1"}]`},
		"more than 1000 instances":   {"instances.json": many(1001, `{"key":"1"}`)},
		"more than 100000 processes": {"instances.json": `[{"key":"1","processes":` + many(100_001, "1") + `}]`},
		"process id -1":              {"instances.json": `[{"key":"1","processes":[-1]}]`},
	} {
		s, err := Read(files(c))
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v, %v", what, s, err)
		}
	}
}

func TestEncodeDecodeIsTheSame(t *testing.T) {
	for name, changes := range map[string]map[string]string{
		"live": nil,
		"far":  {"evidence.json": `{"host_seen":false}`},
		"none": {"instances.json": "[]"},
	} {
		s := read(t, changes)
		b, err := Encode(s)
		if err != nil {
			t.Fatal(name, err)
		}
		back, err := Decode(b)
		if err != nil {
			t.Fatal(name, err)
		}
		again, err := Encode(back)
		if err != nil || string(again) != string(b) {
			t.Errorf("%s: the JSON changed: %v\n%s", name, err, cmp.Diff(string(b), string(again)))
		}
		if Hash(s) != Hash(back) || len(Hash(s)) != 64 {
			t.Errorf("%s: hashes %q and %q", name, Hash(s), Hash(back))
		}
	}
	if Hash(read(t, nil)) == Hash(read(t, map[string]string{"proc/meminfo": "MemTotal: 8192 kB\n"})) {
		t.Error("another memory, the same hash")
	}
	if _, err := Decode([]byte(`{"schema":"pgfettle.snapshot/99"}`)); err == nil {
		t.Error("another schema was taken")
	}
}

// FuzzRead: hostile evidence gives an error or a snapshot that has a JSON form
// and comes back from it the same.
func FuzzRead(f *testing.F) {
	a := evidence.New()
	for name, file := range files(nil) {
		if err := a.Add(name, file.Data); err != nil {
			f.Fatal(err)
		}
	}
	var b strings.Builder
	if _, err := a.WriteTo(&b); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(b.String()))
	f.Add([]byte(strings.ReplaceAll(b.String(), "host_seen\":true", "host_seen\":false")))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := evidence.Parse(text)
		if err != nil {
			return
		}
		s, err := Read(a)
		if err != nil {
			return
		}
		b, err := Encode(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Encode(back)
		if err != nil || !json.Valid(again) || string(again) != string(b) {
			t.Fatalf("the JSON changed: %v\n%s", err, cmp.Diff(string(b), string(again)))
		}
	})
}
