package apply_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// toyServer is an instance: what its file says is in force only after it was
// reloaded or started.
type toyServer struct {
	dir     string
	up      bool
	running map[string]string
}

func (s *toyServer) conf() string { return s.dir + "/postgresql.auto.conf" }

// Settings whose names start with r_ are taken at a reload, the others at a start.
func reloads(name string) bool { return strings.HasPrefix(name, "r_") }

func get(text, key string) (string, bool) {
	for l := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(l, key+" = "); ok {
			return strings.TrimSuffix(v, "\n"), true
		}
	}
	return "", false
}

// put replaces a line in its place or adds it; value nil takes it out.
func put(text, key string, value *string) string {
	line := ""
	if value != nil {
		line = key + " = " + *value + "\n"
	}
	if old, ok := get(text, key); ok {
		return strings.Replace(text, key+" = "+old+"\n", line, 1)
	}
	return text + line
}

// toyKind is a kind of knob on a toyDisk: sysctl (file and live value), thp (a
// live value alone), pg (a server's file), boot (a file that the next boot reads).
type toyKind struct {
	d      *toyDisk
	prefix string
}

func (t toyKind) place(k apply.Knob) (file, live string) {
	switch t.prefix {
	case "sysctl":
		return SysctlFile, "/proc/sys/" + k.Address.Name()
	case "thp":
		return "", "/sys/thp/" + k.Address.Name()
	case "tablespace": // in a catalog of the server
		return "", "/catalog" + t.d.servers[k.Instance.Key].dir + "/" + k.Address.Name()
	case "boot":
		return grubFile, "/proc/cmdline/" + k.Address.Name()
	}
	return t.d.servers[k.Instance.Key].conf(), ""
}

func (t toyKind) Look(_ context.Context, k apply.Knob) (s journal.State, err error) {
	file, live := t.place(k)
	if file != "" {
		f, err := apply.LookFile(t.d, file)
		if err != nil {
			return s, err
		}
		if f.Text == nil {
			f.Mode = 0o644
		}
		s.File = &f
	}
	if t.prefix == "pg" {
		if srv := t.d.servers[k.Instance.Key]; srv.up {
			v := srv.running[k.Address.Name()]
			s.Live = &v
		}
		return s, nil
	}
	b, err := t.d.ReadFile(live, 100)
	if err != nil {
		return s, err
	}
	v := strings.TrimSuffix(string(b), "\n")
	s.Live = &v
	return s, nil
}

func textOf(f *journal.File) string {
	if f == nil || f.Text == nil {
		return ""
	}
	return *f.Text
}

func (t toyKind) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	if now.File != nil {
		f, text := *now.File, put(textOf(now.File), k.Address.Name(), &value)
		f.Text = &text
		now.File = &f
	}
	if now.Live != nil {
		now.Live = &value
	}
	return now, nil
}

func (t toyKind) Set(_ context.Context, k apply.Knob, s journal.State) error {
	if s.File != nil {
		if err := apply.SetFile(t.d, *s.File); err != nil {
			return err
		}
	}
	_, live := t.place(k)
	if s.Live == nil || t.prefix == "pg" || t.prefix == "boot" || t.d.live[live] == *s.Live {
		return nil
	}
	return t.d.Poke(live, *s.Live)
}

func (t toyKind) Ours(found, after journal.State, k apply.Knob) bool {
	if found.Live != nil && after.Live != nil && *found.Live != *after.Live {
		return false
	}
	a, ok1 := get(textOf(found.File), k.Address.Name())
	b, ok2 := get(textOf(after.File), k.Address.Name())
	return ok1 && ok2 && a == b
}

func (t toyKind) Without(found, before journal.State, k apply.Knob) (journal.State, error) {
	var value *string
	if v, ok := get(textOf(before.File), k.Address.Name()); ok {
		value = &v
	}
	f, text := *found.File, put(textOf(found.File), k.Address.Name(), value)
	f.Text = &text
	if text == "" && before.File.Text == nil {
		f.Text = nil
	}
	return journal.State{File: &f, Live: before.Live}, nil
}

// Halfway: the pool grows page by page.
func (t toyKind) Halfway(found, was, will journal.State, k apply.Knob) bool {
	if k.Address != "sysctl:vm.nr_hugepages" || found.Live == nil {
		return false
	}
	a, err1 := strconv.Atoi(*was.Live)
	b, err2 := strconv.Atoi(*found.Live)
	c, err3 := strconv.Atoi(*will.Live)
	return err1 == nil && err2 == nil && err3 == nil && (a <= b && b <= c || c <= b && b <= a)
}

// hugeNeed is how many pages a toy server with huge_pages = on needs.
const hugeNeed = 100

// starts says why a server cannot start with a configuration.
func (d *toyDisk) starts(s *toyServer) error {
	text := d.files[s.conf()].data
	for _, n := range settings {
		if v, _ := get(text, n); v == "bad" && !reloads(n) {
			return fmt.Errorf("FATAL: %s is bad", n)
		}
	}
	if v, _ := get(text, "huge_pages"); v == "on" {
		if n, _ := strconv.Atoi(d.live[poolPath]); n < hugeNeed {
			return errors.New("FATAL: could not map anonymous shared memory")
		}
	} else if n, _ := strconv.Atoi(d.live[poolPath]); d.tight && n >= hugeNeed {
		return errors.New("FATAL: could not map anonymous shared memory: the pool holds the memory")
	}
	return nil
}

func (d *toyDisk) load(s *toyServer, all bool) {
	text := d.files[s.conf()].data
	s.running = maps.Clone(s.running)
	for _, n := range settings {
		v, ok := get(text, n)
		if !ok {
			v = "0"
		}
		if v != "bad" && (all || reloads(n)) {
			s.running[n] = v
		}
	}
}

func (d *toyDisk) activate(_ context.Context, key string, e knob.Effect) error {
	s := d.servers[key]
	d.point(nil)
	d.writes++
	if e == knob.Reload {
		if !s.up {
			return errors.New("the server is down")
		}
		d.load(s, false)
		d.point(nil)
		return nil
	}
	s.up = false
	d.point(nil)
	if err := d.starts(s); err != nil {
		return err
	}
	d.load(s, true)
	s.up = true
	d.point(nil)
	return nil
}

// boot is a boot of the host: live values come from the files, servers start.
func (d *toyDisk) boot() {
	for n := range d.live {
		var v string
		ok := false
		if name, is := strings.CutPrefix(n, "/proc/sys/"); is {
			v, ok = get(d.files[SysctlFile].data, name)
		} else if name, is := strings.CutPrefix(n, "/proc/cmdline/"); is {
			v, ok = get(d.files[grubFile].data, name)
		}
		if !ok {
			v = "0"
		}
		if pages, err := strconv.Atoi(v); n == poolPath && err == nil {
			v = strconv.Itoa(min(pages, d.most)) // as many as there are, as ever
		}
		d.live[n] = v
	}
	for _, s := range d.servers {
		s.up = d.starts(s) == nil
		if s.up {
			d.load(s, true)
		}
	}
}

var settings = []string{"r_a", "r_b", "s_a", "huge_pages"}

func newToy() *toyDisk {
	d := &toyDisk{fuse: -1, most: 1000, files: map[string]toyFile{}, locked: map[string]bool{},
		dirs: map[string]bool{"/etc/sysctl.d": true, "/etc/default": true, "/data/1": true, "/data/2": true},
		live: map[string]string{},
		servers: map[string]*toyServer{"1": {dir: "/data/1", up: true, running: map[string]string{}},
			"2": {dir: "/data/2", up: true, running: map[string]string{}}}}
	for _, n := range []string{"/proc/sys/vm.swappiness", "/proc/sys/vm.dirty_bytes", poolPath,
		"/proc/sys/vm.overcommit_memory", "/proc/sys/vm.overcommit_kbytes", "/sys/thp/enabled", "/proc/cmdline/quiet"} {
		d.live[n] = "0"
	}
	for _, s := range d.servers {
		d.files[s.conf()] = toyFile{data: "# written by hand\n", mode: 0o600, uid: 26, gid: 26}
		d.load(s, true)
	}
	return d
}

func (d *toyDisk) snapshot() *snapshot.Snapshot {
	return &snapshot.Snapshot{Instances: []snapshot.Instance{
		{Key: "1", DataDirectory: known.Is("/data/1")}, {Key: "2", DataDirectory: known.Is("/data/2")},
	}}
}
