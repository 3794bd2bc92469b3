package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// sysctl is a parameter of /proc/sys: a line of sysctl.d and the live value. The pool of huge pages is one, except for
// how it is set.
type sysctl struct{ Host }

// maxLive bounds a file of /proc/sys or /sys: one page is what the kernel gives
// an attribute.
const maxLive = 4096

// sysctlName is a dotted name whose parts are file names.
var sysctlName = regexp.MustCompile(`^[a-z0-9_]+(\.[A-Za-z0-9_-]+)+$`)

// Look implements Kind. The live value of a parameter that is 0 because its pair is in effect includes the pair's: «0;
// vm.dirty_ratio = 20».
func (s sysctl) Look(_ context.Context, k apply.Knob) (st journal.State, err error) {
	name := k.Address.Name()
	if !sysctlName.MatchString(name) {
		return st, fmt.Errorf("%q is not the name of a kernel parameter", name)
	}
	if st.File, err = s.lookFile(plan.SysctlFile); err != nil || s.Kernel == nil {
		return st, err
	}
	live, err := s.live(name)
	if err != nil {
		return st, err
	}
	st.Live = &live
	return st, nil
}

// live reads a parameter, and its pair where that one rules.
func (s sysctl) live(name string) (string, error) {
	v, err := s.read(name)
	other, paired := plan.SysctlPairs[name]
	if err != nil || !paired || v != "0" {
		return v, err
	}
	w, err := s.read(other)
	if err != nil {
		return "", err
	}
	return pairText(other, w), nil
}

func pairText(other, value string) string { return "0; " + other + " = " + value }

// read reads a parameter with single blanks between its parts, where the kernel
// puts tabs.
func (s sysctl) read(name string) (string, error) {
	b, err := s.Kernel.ReadFile("/"+host.SysctlPath(name), maxLive)
	if errors.Is(err, fs.ErrNotExist) {
		return "", say.Err("this kernel has no parameter {name}: {reason}", "name", name, "reason", err)
	}
	if err != nil {
		return "", ofParameter(name, err)
	}
	return strings.Join(strings.Fields(string(b)), " "), nil
}

// Want implements Kind.
func (s sysctl) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	name := k.Address.Name()
	value = strings.Join(strings.Fields(value), " ")
	if err := oneLine(value); err != nil {
		return now, say.Named(name, err)
	}
	want := now
	other, paired := plan.SysctlPairs[name]
	if paired && value == "0" {
		if now.Live != nil && strings.HasPrefix(*now.Live, "0; ") {
			return now, nil
		}
		return now, say.Named(name, say.Err("0 only says that {name} rules: set that one", "name", other))
	}
	if now.File != nil {
		text := sysctlForm.set(now.File.Text, name, value)
		if paired {
			// a line of ours for the pair would be read too and undo this one
			if left := sysctlForm.without(&text, nil, other); left != nil {
				text = *left
			}
		}
		want.File = withText(now.File, &text)
	}
	if now.Live != nil {
		want.Live = &value
	}
	return want, nil
}

// Set implements Kind.
func (s sysctl) Set(_ context.Context, k apply.Knob, st journal.State) error {
	if k.Address.Name() == poolName {
		return hugePages{s}.set(st)
	}
	if err := s.setFile(st.File); err != nil {
		return err
	}
	if st.Live == nil || s.Kernel == nil {
		return nil
	}
	return s.setLive(k.Address.Name(), *st.Live)
}

// setLive writes a live value as Look reported it, and reads it back.
func (s sysctl) setLive(name, value string) error {
	now, err := s.live(name)
	if err != nil || now == value {
		return err
	}
	if err := s.poke(name, value); err != nil {
		return ofParameter(name, err)
	}
	got, err := s.live(name)
	if err != nil {
		return err
	}
	if got != value {
		return ofParameter(name, say.Err("asked for {value}, the kernel gives {other}", "value", value, "other", got))
	}
	return nil
}

func (s sysctl) poke(name, value string) error {
	pair, ok := strings.CutPrefix(value, "0; ")
	if !ok {
		return s.Kernel.Poke("/"+host.SysctlPath(name), value)
	}
	other, v, ok := strings.Cut(pair, " = ")
	if !ok || other != plan.SysctlPairs[name] {
		return say.Err("{value} is not one of its values", "value", say.Quoted(value))
	}
	if v == "0" {
		// dirty_ratio gives the rule over only when its value moves
		if err := s.Kernel.Poke("/"+host.SysctlPath(other), "1"); err != nil {
			return err
		}
	}
	return s.Kernel.Poke("/"+host.SysctlPath(other), v)
}

// Allowed implements Guard.
func (s sysctl) Allowed(_ context.Context, k apply.Knob) error {
	return s.mayPoke("/" + host.SysctlPath(k.Address.Name()))
}

// Ours implements Kind.
func (s sysctl) Ours(found, after journal.State, k apply.Knob) bool {
	return sysctlForm.sameLine(found.File, after.File, k.Address.Name()) && sameLiveOrNone(found.Live, after.Live)
}

// Without implements Kind.
func (s sysctl) Without(found, before journal.State, k apply.Knob) (journal.State, error) {
	name := k.Address.Name()
	st := journal.State{Live: before.Live, File: sysctlForm.takeOut(found.File, before.File, name)}
	if other, paired := plan.SysctlPairs[name]; paired && st.File != nil && before.File != nil {
		// the pair's line, which Want took out; not over one that others have set since
		if _, since := sysctlForm.get(st.File.Text, other); !since {
			if was := sysctlForm.line(before.File.Text, other); was != "" {
				text := sysctlForm.put(st.File.Text, other, was)
				st.File = withText(st.File, &text)
			}
		}
	}
	return st, nil
}

// Notes implements Noter.
func (s sysctl) Notes(k apply.Knob) ([]string, error) {
	if k.Address.Name() == poolName && s.Kernel != nil {
		return hugePages{s}.notes()
	}
	return nil, nil
}
