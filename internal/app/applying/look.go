package applying

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// suffix keeps two applies of one second apart.
func suffix() string { return strings.ToLower(rand.Text()[:6]) }

// loadJournalled looks at the instances that a journal is about: those found
// running, or by their data directories, as one may have been stopped since. gone is one that is
// not looked for.
func (p *Place) loadJournalled(ctx context.Context, j *journal.Journal, gone string) (*app.Session, error) {
	labels := slices.DeleteFunc(Labels(j), func(l string) bool { return l == gone })
	if p.Root != "" {
		return inTree(labels), nil
	}
	all := len(labels) > 0
	for _, label := range labels {
		all = all && filepath.IsAbs(label)
	}
	if !all {
		return p.Host.Open(ctx, app.Request{Target: ""})
	}
	var out *app.Session
	for i, label := range labels {
		if _, err := os.Stat(label); errors.Is(err, fs.ErrNotExist) {
			continue // an instance that is gone; what is about it will say so
		}
		l, err := p.Host.Open(ctx, app.Request{Target: label})
		if no, ok := errors.AsType[*say.Problem](err); ok && no.Code == say.CodeNoAccess {
			// a superuser without access to the directory reaches the server as during the apply: by PG* variables, or
			// by its socket
			return p.Host.Open(ctx, app.Request{Target: ""})
		}
		if err != nil {
			return nil, err
		}
		for n := range l.Snapshot.Instances {
			l.Snapshot.Instances[n].Key = strconv.Itoa(i + 1)
		}
		if out == nil {
			out = l
			continue
		}
		out.Snapshot.Instances = append(out.Snapshot.Instances, l.Snapshot.Instances...)
	}
	if out == nil {
		return p.Host.Open(ctx, app.Request{Target: ""})
	}
	return out, nil
}

// Labels are the instances that a journal names, each once, in its order.
func Labels(j *journal.Journal) []string {
	var labels []string
	seen := map[string]bool{"": true}
	if j == nil {
		return nil
	}
	add := func(label string) {
		if !seen[label] {
			seen[label] = true
			labels = append(labels, label)
		}
	}
	for _, c := range j.Changes {
		add(c.Instance)
	}
	if j.Damage != nil {
		for _, u := range j.Damage.Unknown {
			add(u.Instance)
		}
	}
	return labels
}

// inTree is what is known about a tree of files: the instances that the user named, by their data directories.
func inTree(labels []string) *app.Session {
	s := &snapshot.Snapshot{Schema: snapshot.Schema, HostSeen: true}
	for i, label := range labels {
		s.Instances = append(s.Instances, snapshot.Instance{Key: strconv.Itoa(i + 1), DataDirectory: known.Is(label)})
	}
	return &app.Session{Snapshot: s}
}
