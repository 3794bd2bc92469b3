package linux

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// unitKind is a property of the service that runs an instance: a drop-in, and
// what systemd has of it after a daemon-reload. Where systemd does not run
// there is no live value.
type unitKind struct{ Host }

var (
	property    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	serviceName = regexp.MustCompile(`^[A-Za-z0-9:_.\\@-]+\.service$`)
)

// service returns the name of the instance's unit.
func (u unitKind) service(k apply.Knob) (string, error) {
	name := u.Service
	if k.Instance != nil {
		unit, ok := k.Instance.Unit.Get()
		if !ok {
			return "", say.Named(k.Address, say.Err("it is not known which unit runs the instance {instance}",
				"instance", k.Instance.Label()))
		}
		name = unit.Name
	}
	switch {
	case !property.MatchString(k.Address.Name()):
		return "", fmt.Errorf("%s does not name a property of a unit", k.Address)
	case name == "":
		return "", say.Named(k.Address, say.Err("no unit is named whose property it is"))
	case !serviceName.MatchString(name):
		return "", say.Named(k.Address, say.Err("{value} is not the name of a service", "value", say.Quoted(name)))
	}
	return name, nil
}

// Look implements Kind.
func (u unitKind) Look(ctx context.Context, k apply.Knob) (st journal.State, err error) {
	unit, err := u.service(k)
	if err != nil {
		return st, err
	}
	if st.File, err = u.lookFile("/etc/systemd/system/" + unit + ".d/" + dropIn); err != nil {
		return st, err
	}
	if up, err := u.booted(); err != nil || !up {
		return st, err
	}
	live, err := u.show(ctx, unit, k.Address.Name())
	if err != nil {
		return st, err
	}
	st.Live = &live
	return st, nil
}

// booted reports whether systemd runs here, by sd_booted(3).
func (u unitKind) booted() (bool, error) {
	if u.Kernel == nil {
		return false, nil
	}
	_, err := u.Kernel.Stat("/run/systemd/system")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// show returns a property with what belongs to it: of a NUMA policy its nodes.
func (u unitKind) show(ctx context.Context, unit, name string) (string, error) {
	all := map[string]string{}
	for _, a := range host.Assignments(name, "interleave 0") {
		v, err := u.showOne(ctx, unit, a[0], a[0] == name)
		if err != nil {
			return "", err
		}
		all[a[0]] = v
	}
	v, _ := host.Property(all, name)
	return v, nil
}

func (u unitKind) showOne(ctx context.Context, unit, name string, must bool) (string, error) {
	out, err := u.systemctl(ctx, "show", "--property="+name, "--value", "--", unit)
	if err == nil && out == "" && must {
		err = say.Named(unit, say.Err("systemd shows no property {name}", "name", name))
	}
	return out, err
}

func (u unitKind) systemctl(ctx context.Context, args ...string) (string, error) {
	return run(ctx, u.Kernel, append([]string{"systemctl"}, args...)...)
}

// runTimeout bounds a command: systemctl itself waits three minutes for a daemon-reload, in which the generators of all
// packages run, and on a host that is short of CPUs or disks these take their time. Killing systemctl before that would
// stop nothing, and leave open how it ends.
const runTimeout = 3 * time.Minute

// run runs a command that has to succeed, and returns what it printed.
func run(ctx context.Context, t target.Target, argv ...string) (string, error) {
	out, err := t.Run(ctx, target.Command{Argv: argv, Timeout: runTimeout})
	if err != nil {
		return "", err
	}
	if out.Code != 0 {
		return "", ended(argv, out)
	}
	return strings.TrimSpace(string(out.Stdout)), nil
}

// Want implements Kind.
func (u unitKind) Want(now journal.State, k apply.Knob, value string) (journal.State, error) {
	if err := oneLine(value); err != nil || strings.HasSuffix(value, `\`) {
		return now, say.Named(k.Address, say.Err("{value} is not a value of a unit", "value", say.Quoted(value)))
	}
	name := k.Address.Name()
	if name == "NUMAPolicy" {
		if err := host.LegalNUMAPolicy(value); err != nil {
			return now, say.Named(k.Address, err)
		}
	}
	want := now
	if now.File != nil {
		text := now.File.Text
		for _, other := range belonging(name) {
			text = unitForm.without(text, nil, other) // default takes no nodes
		}
		for _, a := range host.Assignments(name, value) {
			set := unitForm.set(text, a[0], a[1])
			text = &set
		}
		want.File = withText(now.File, text)
	}
	if now.Live != nil {
		want.Live = &value
	}
	return want, nil
}

// Set implements Kind.
func (u unitKind) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	unit, err := u.service(k)
	if err != nil {
		return err
	}
	if err := u.setFile(st.File); err != nil || st.Live == nil {
		return err
	}
	if up, err := u.booted(); err != nil || !up {
		return err
	}
	now, err := u.show(ctx, unit, k.Address.Name())
	if err != nil || now == *st.Live {
		return err
	}
	if _, err := u.systemctl(ctx, "daemon-reload"); err != nil {
		return err
	}
	got, err := u.show(ctx, unit, k.Address.Name())
	if err != nil {
		return err
	}
	if got != *st.Live {
		err := say.Named(unit, say.Err("asked for {name}={value}, systemd has {other}", "name", k.Address.Name(),
			"value", *st.Live, "other", got))
		if others, e := u.systemctl(ctx, "show", "--property=DropInPaths", "--value", "--", unit); e == nil &&
			others != "" {
			err = say.Err("{reason}: one of its drop-ins sets it too ({names})", "reason", err, "names", others)
		}
		return err
	}
	return nil
}

// Allowed implements Guard.
func (u unitKind) Allowed(context.Context, apply.Knob) error {
	return u.mayRun("systemctl daemon-reload")
}

// belonging are the properties whose lines are part of a property's value.
func belonging(name string) (others []string) {
	for _, a := range host.Assignments(name, "interleave 0") {
		if a[0] != name {
			others = append(others, a[0])
		}
	}
	return others
}

// Ours implements Kind.
func (u unitKind) Ours(found, after journal.State, k apply.Knob) bool {
	for _, name := range append(belonging(k.Address.Name()), k.Address.Name()) {
		if !unitForm.sameLine(found.File, after.File, name) {
			return false
		}
	}
	return sameLiveOrNone(found.Live, after.Live)
}

// Without implements Kind.
func (u unitKind) Without(found, before journal.State, k apply.Knob) (journal.State, error) {
	file := unitForm.takeOut(found.File, before.File, k.Address.Name())
	for _, other := range belonging(k.Address.Name()) {
		file = unitForm.takeOut(file, before.File, other)
	}
	return journal.State{Live: before.Live, File: file}, nil
}
