// Package creation are the kinds of the steps of 'pgfettle create': directories, the cluster itself, the slot of a
// standby, a server that systemd does not start, a password, ports of a firewall. Files and services of the host are of
// package linux.
//
// Each value says all that a later process needs, as a step may be finished or taken back by one. "absent" is that the
// thing is not there. What is done in directories of an account is done with that account's rights alone. A cluster is
// removed only while nobody has used it: see used in cluster_remove.go.
package creation

import (
	"context"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// Host is where things are made.
type Host struct {
	Target  target.Target
	Folders func(*target.User) target.Folders
	// Verifier is the SCRAM verifier of the superuser's password; "": none was given, as to a resume
	Verifier string
	// Password is that password, for a password file; "": none was given
	Password string
}

// Kinds are the kinds of all steps.
func (h Host) Kinds() map[string]apply.Kind {
	return map[string]apply.Kind{knob.DirPrefix: directory{Host: h}, knob.SlotPrefix: slot{Host: h},
		knob.ClusterPrefix: cluster{Host: h},
		knob.ServerPrefix:  server{Host: h}, knob.PasswordPrefix: password{Host: h},
		knob.FirewallPrefix: firewall{Host: h}, knob.PgpassPrefix: passline{Host: h}}
}

// whole is what the kinds share whose things are there or not: no part of another's edit can be taken out of them.
type whole struct{}

// Ours implements apply.Kind.
func (whole) Ours(found, after journal.State, _ apply.Knob) bool { return found.SameFile(after) }

// Without implements apply.Kind.
func (whole) Without(_, before journal.State, _ apply.Knob) (journal.State, error) {
	return before, nil
}

// live is a state without a file.
func live(v string) journal.State { return journal.State{Live: &v} }

// absent reports whether a thing is to be taken away.
func absent(s journal.State) bool { return s.Live != nil && *s.Live == newcluster.Absent }

// timeout bounds initdb, and a start that waits for a server: on a busy disk initdb's fsync takes its time.
const timeout = 5 * time.Minute

// run runs a command that has to succeed, and returns what it printed.
func (h Host) run(ctx context.Context, c target.Command) (string, error) {
	c.Timeout = timeout
	out, err := h.Target.Run(ctx, c)
	if err != nil {
		return "", err
	}
	if out.Code != 0 {
		return "", failed(c.Argv, string(out.Stderr)+string(out.Stdout))
	}
	return strings.TrimSpace(string(out.Stdout)), nil
}

func failed(argv []string, said string) error {
	return say.Named(argv[0], say.Err("it failed: {text}", "text", last(said)))
}

// last is the end of what a program said: its error stands there.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	const most = 3
	return strings.Join(lines[max(len(lines)-most, 0):], "; ")
}

func user(a newcluster.Account) *target.User { return &target.User{UID: a.UID, GID: a.GID} }

// as is the user that a command of an account is run as; nil where that is who we are.
func (h Host) as(a newcluster.Account) *target.User {
	if h.Target.UID() == a.UID {
		return nil
	}
	return user(a)
}
