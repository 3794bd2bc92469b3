package oomdemo

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/act/cgroup"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// TestClaim: one exercise at a time, and nothing of the record stays.
func TestClaim(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "b", "oomdemo")
	first, err := claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = claim(dir)
	var p *say.Problem
	if !errors.As(err, &p) || p.Code != say.CodeRefused || p.Hint.IsZero() {
		t.Errorf("a second one: %v", err)
	}
	if err := first.release(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(top); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	again, err := claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.release(); err != nil {
		t.Error(err)
	}
}

// TestClaimNoPlace: a directory that cannot be made is a right that is missing.
func TestClaimNoPlace(t *testing.T) {
	_, err := claim("/proc/self/oomdemo")
	if err == nil {
		t.Fatal("a record in /proc")
	}
}

// crash is a run that was killed: its lock is gone, its record is not.
func crash(t *testing.T, tr *trail) {
	t.Helper()
	if err := tr.lock.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestSweepAfterACrash: the next run removes the directory of the server and the record, and says so; a second sweep
// finds nothing.
func TestSweepAfterACrash(t *testing.T) {
	top := t.TempDir()
	dir, server := filepath.Join(top, "oomdemo"), filepath.Join(top, "pgfettle-123")
	if err := os.MkdirAll(filepath.Join(server, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	killed, err := claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	gone := cgroup.Group{Version: 2, Dir: filepath.Join(top, groupPrefix+"1-2")}
	if err := killed.note(func(r *record) { r.Folder = server; r.Groups = []cgroup.Group{gone} }); err != nil {
		t.Fatal(err)
	}
	crash(t, killed)

	next, err := claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	done, err := next.sweep()
	if d := cmp.Diff([]string{"directory " + server}, done); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	if done, err := next.sweep(); len(done) > 0 || err != nil {
		t.Errorf("a second time: %v, %v", done, err)
	}
	if err := next.release(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(top); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSweepTouchesOnlyOurs: a record that names what no exercise makes removes
// nothing of it, and stays.
func TestSweepTouchesOnlyOurs(t *testing.T) {
	for _, text := range []string{
		`{"folder":"DIR/precious"}`, `{"folder":"pgfettle-1"}`, `{"groups":[{"version":1,"dir":"DIR/precious"}]}`,
		`{"sysctls":[{"name":"kernel.panic","before":"1","after":"0"}]}`,
		`{"sysctls":[{"name":"vm./../kernel/panic","before":"1","after":"0"}]}`,
		`not JSON`,
	} {
		top := t.TempDir()
		if err := os.MkdirAll(filepath.Join(top, "precious"), 0o700); err != nil {
			t.Fatal(err)
		}
		tr, err := claim(filepath.Join(top, "oomdemo"))
		if err != nil {
			t.Fatal(err)
		}
		tr.kernel = toy{"vm.overcommit_memory": "0"}
		if err := os.WriteFile(tr.file(), []byte(strings.ReplaceAll(text, "DIR", top)), 0o600); err != nil {
			t.Fatal(err)
		}
		if done, err := tr.sweep(); err == nil || len(done) > 0 {
			t.Errorf("%s: %v, %v", text, done, err)
		}
		if _, err := os.Stat(filepath.Join(top, "precious")); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := os.Stat(tr.file()); err != nil {
			t.Errorf("%s: the record: %v", text, err)
		}
		crash(t, tr)
	}
}

// toy is a kernel that has the four values, and keeps the amount and the ratio
// exclusive as the real one does.
type toy map[string]string

func (k toy) get(name string) (string, error) {
	v, ok := k[name]
	if !ok {
		return "", os.ErrNotExist
	}
	return v, nil
}

func (k toy) set(name, value string) error {
	if _, err := k.get(name); err != nil {
		return err
	}
	switch name {
	case ratio:
		k[kbytes] = "0"
	case kbytes:
		k[ratio] = "0"
	}
	k[name] = value
	return nil
}

// mortal is a kernel whose writer is killed before its nth write.
type mortal struct {
	toy
	left int
}

var errKilled = errors.New("killed")

func (m *mortal) set(name, value string) error {
	if m.left--; m.left < 0 {
		return errKilled
	}
	return m.toy.set(name, value)
}

// TestStrictAndBack: from any state of the four values, killed before any write of them, they end as they were: by
// unset, or by the sweep of the next run. And the mode is never strict with another limit than the one that was
// computed.
func TestStrictAndBack(t *testing.T) {
	top := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		k := toy{
			mode:    rapid.SampledFrom([]string{"0", "1", "2"}).Draw(rt, "mode"),
			ratio:   rapid.SampledFrom([]string{"0", "50", "120"}).Draw(rt, "ratio"),
			kbytes:  "0",
			reserve: rapid.SampledFrom([]string{"8192", "131072"}).Draw(rt, "reserve"),
		}
		if rapid.Bool().Draw(rt, "amount rules") {
			k[ratio], k[kbytes] = "0", "16000000"
		}
		was := maps.Clone(k)
		m := host.Memory{Total: 8 * unit.GB, SwapTotal: unit.GB, CommittedAS: 3 * unit.GB}
		dir := filepath.Join(top, "oomdemo")
		tr, err := claim(dir)
		if err != nil {
			rt.Fatal(err)
		}
		dying := &mortal{k, rapid.IntRange(0, 9).Draw(rt, "writes")}
		tr.kernel = dying
		back, err := tr.lenient()
		if err == nil {
			if k[mode] != "0" {
				rt.Errorf("the first round has mode %s", k[mode])
			}
			err = back()
		}
		var unset func() error
		if err == nil {
			unset, err = tr.strict(m, 128*unit.MB)
		}
		if err == nil {
			// 3 GB committed, 128 MB for root, 128 MB to take, less 1 GB of swap
			if k[mode] != "2" || k[kbytes] != "2359296" || k[reserve] != "131072" {
				rt.Errorf("strict: %v", k)
			}
			err = unset()
		}
		if err != nil && !errors.Is(err, errKilled) {
			rt.Fatal(err)
		}
		crashed := err != nil
		if err := tr.lock.Close(); err != nil {
			rt.Fatal(err)
		}
		next, err := claim(dir)
		if err != nil {
			rt.Fatal(err)
		}
		next.kernel = k
		if _, err := next.sweep(); err != nil {
			rt.Error(err)
		}
		if d := cmp.Diff(was, k); d != "" {
			rt.Errorf("not as before (killed: %v):\n%s", crashed, d)
		}
		if err := next.release(); err != nil {
			rt.Error(err)
		}
	})
}

// TestStrictKeepsWhatOthersSet: a value that others have set since stays.
func TestStrictKeepsWhatOthersSet(t *testing.T) {
	tr, err := claim(filepath.Join(t.TempDir(), "oomdemo"))
	if err != nil {
		t.Fatal(err)
	}
	k := toy{mode: "0", ratio: "50", kbytes: "0", reserve: "8192"}
	tr.kernel = k
	unset, err := tr.strict(host.Memory{CommittedAS: unit.GB}, unit.GB)
	if err != nil {
		t.Fatal(err)
	}
	k[mode] = "1"
	if err := unset(); err != nil {
		t.Error(err)
	}
	if d := cmp.Diff(toy{mode: "1", ratio: "50", kbytes: "0", reserve: "8192"}, k); d != "" {
		t.Error(d)
	}
	if err := tr.lock.Close(); err != nil {
		t.Error(err)
	}
}

// TestStrictBesideMuchSwap: where the swap alone is more than the limit, there
// is none to set.
func TestStrictBesideMuchSwap(t *testing.T) {
	k := toy{mode: "0", ratio: "50", kbytes: "0", reserve: "8192"}
	tr := &trail{kernel: k}
	_, err := tr.strict(host.Memory{CommittedAS: unit.GB, SwapTotal: 8 * unit.GB}, unit.GB)
	var p *say.Problem
	if !errors.As(err, &p) || p.Code != say.CodeRefused || k[mode] != "0" {
		t.Errorf("%v, %v", err, k)
	}
}
