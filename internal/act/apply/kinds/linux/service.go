package linux

import (
	"context"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// service is a service of systemd that is started, and starts at boot or not: "enabled, started", "started", "absent".
type service struct{ unitKind }

// Look implements Kind. A service that systemd does not know, or that is neither started nor enabled, is absent.
func (s service) Look(ctx context.Context, k apply.Knob) (journal.State, error) {
	name, err := s.unit(k)
	if err != nil {
		return journal.State{}, err
	}
	active, err := s.showOne(ctx, name, "ActiveState", false)
	if err != nil {
		return journal.State{}, err
	}
	enabled, err := s.showOne(ctx, name, "UnitFileState", false)
	if err != nil {
		return journal.State{}, err
	}
	var is []string
	if enabled == "enabled" || enabled == "enabled-runtime" {
		is = append(is, "enabled")
	}
	switch active {
	case "active", "activating", "reloading":
		is = append(is, "started")
	}
	v := newcluster.Absent
	if len(is) > 0 {
		v = strings.Join(is, ", ")
	}
	return journal.State{Live: &v}, nil
}

func (s service) unit(k apply.Knob) (string, error) {
	name := k.Address.Name()
	if !serviceName.MatchString(name) {
		return "", say.Named(k.Address, say.Err("{value} is not the name of a service", "value", say.Quoted(name)))
	}
	return name, nil
}

// Want implements Kind.
func (s service) Want(_ journal.State, k apply.Knob, value string) (journal.State, error) {
	switch value {
	case "enabled, started", "enabled", "started", newcluster.Absent:
		return journal.State{Live: &value}, nil
	}
	return journal.State{}, say.Named(k.Address, say.Err("{value} is not a state of a service", "value",
		say.Quoted(value)))
}

// Set implements Kind.
func (s service) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	name, err := s.unit(k)
	if err != nil || st.Live == nil {
		return err
	}
	now, err := s.Look(ctx, k)
	if err != nil {
		return err
	}
	if now.SameLive(st) && *st.Live != newcluster.Absent {
		return nil
	}
	if _, err := s.systemctl(ctx, "daemon-reload"); err != nil {
		return err
	}
	has := func(v, word string) bool { return strings.Contains(v, word) }
	for _, step := range []struct {
		word    string
		on, off string
	}{{"enabled", "enable", "disable"}, {"started", "start", "stop"}} {
		switch {
		case has(*st.Live, step.word) && !has(*now.Live, step.word):
			_, err = s.systemctl(ctx, step.on, "--", name)
		case !has(*st.Live, step.word) && has(*now.Live, step.word):
			_, err = s.systemctl(ctx, step.off, "--", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Halfway implements Partial: enabled and not started yet, or stopped and still enabled.
func (s service) Halfway(found, _, _ journal.State, _ apply.Knob) bool {
	return found.Live != nil && (*found.Live == "enabled" || *found.Live == "started")
}

// Allowed implements Guard.
func (s service) Allowed(context.Context, apply.Knob) error {
	return s.mayRun("systemctl daemon-reload")
}

// Ours implements Kind.
func (s service) Ours(found, after journal.State, _ apply.Knob) bool { return found.SameLive(after) }

// Without implements Kind.
func (s service) Without(_, before journal.State, _ apply.Knob) (journal.State, error) {
	return before, nil
}
