package oomdemo

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// adminReserve is what root's programs keep under strict overcommit: what the
// rule for vm.admin_reserve_kbytes plans. This program runs under it too.
const adminReserve = 128 * unit.MB

const (
	mode    = "vm.overcommit_memory"
	ratio   = "vm.overcommit_ratio"
	kbytes  = "vm.overcommit_kbytes"
	reserve = "vm.admin_reserve_kbytes"
)

// values are those of a kernel.
type values interface {
	get(name string) (string, error) // of vm.overcommit_memory, …
	set(name, value string) error    // and verifies that it was taken
}

// procSys is the running kernel.
type procSys struct{}

func (procSys) file(name string) string {
	return filepath.Join("/proc/sys", strings.ReplaceAll(name, ".", "/"))
}

func (p procSys) get(name string) (string, error) {
	b, err := os.ReadFile(p.file(name))
	return strings.TrimSpace(string(b)), err
}

// set writes a value as echo does, and reads it back.
func (p procSys) set(name, value string) error {
	f, err := os.OpenFile(p.file(name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if got, err := p.get(name); err != nil || got != value {
		return say.Named(name, say.Err("{value} was written, but {other} was read back", "value", say.Quoted(value),
			"other", say.Quoted(got)))
	}
	return nil
}

// restore sets a value back, where it is still ours. back is false if there was nothing to do.
func (f former) restore(k values) (back bool, err error) {
	if !strings.HasPrefix(f.Name, "vm.") || strings.Contains(f.Name, "/") {
		return false, say.Err("{value} is no value that an exercise changes", "value", say.Quoted(f.Name))
	}
	now, err := k.get(f.Name)
	if err != nil || now == f.Before || now != f.After {
		return false, err
	}
	return true, k.set(f.Name, f.Before)
}

// strict sets strict overcommit with a limit that leaves the budget beyond what
// is committed on this host now. The values are written down before, and unset
// sets them back.
func (t *trail) strict(m host.Memory, budget unit.Bytes) (unset func() error, err error) {
	limit := m.CommittedAS + adminReserve + budget - m.SwapTotal // the kernel adds the swap
	if limit <= 0 {
		return nil, &say.Problem{Message: say.M("strict overcommit cannot be shown here"),
			Detail: say.M("the commit limit counts {swapTotal} of swap, and {committedAS} are committed", "swapTotal",
				m.SwapTotal, "committedAS", m.CommittedAS),
			Hint: say.M("run it without --overcommit real, or on a host without swap"), Code: say.CodeRefused}
	}
	want := []former{
		// Back to the former mode first, so that no limit is in force meanwhile.
		{Name: mode, After: "2"},
		{Name: reserve, After: strconv.FormatInt(int64(adminReserve/unit.KB), 10)},
		{Name: kbytes, After: strconv.FormatInt(int64(limit/unit.KB), 10)},
	}
	for i := range want {
		if want[i].Before, err = t.kernel.get(want[i].Name); err != nil {
			return nil, err
		}
	}
	if want[2].Before == "0" {
		// The ratio rules, and writing the amount sets it to 0. To write it again does
		// the reverse.
		r, err := t.kernel.get(ratio)
		if err != nil {
			return nil, err
		}
		want = append(want, former{Name: ratio, Before: r, After: "0"})
		want[2], want[3] = want[3], want[2]
	}
	if unset, err = t.intend(want); err != nil {
		return nil, err
	}
	for i := len(want) - 1; i >= 0; i-- { // the limit before the mode that makes it count
		if want[i].Name == ratio || want[i].Before == want[i].After {
			continue
		}
		if err := t.kernel.set(want[i].Name, want[i].After); err != nil {
			return nil, errors.Join(err, unset())
		}
	}
	return unset, nil
}

// intend writes down values that are about to be changed. The returned function
// sets them back and strikes them out.
func (t *trail) intend(list []former) (unset func() error, err error) {
	if err := t.note(func(r *record) { r.Sysctls = list }); err != nil {
		return nil, err
	}
	return func() error {
		var errs []error
		for _, f := range list {
			_, err := f.restore(t.kernel)
			errs = append(errs, err)
		}
		if err := errors.Join(errs...); err != nil {
			return err
		}
		return t.note(func(r *record) { r.Sysctls = nil })
	}, nil
}

// lenient sets the kernel's default for a round, where another mode is in force.
func (t *trail) lenient() (unset func() error, err error) {
	now, err := t.kernel.get(mode)
	if err != nil || now == "0" {
		return func() error { return nil }, err
	}
	if unset, err = t.intend([]former{{Name: mode, Before: now, After: "0"}}); err != nil {
		return nil, err
	}
	if err := t.kernel.set(mode, "0"); err != nil {
		return nil, errors.Join(err, unset())
	}
	return unset, nil
}
