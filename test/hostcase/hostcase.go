// Package hostcase makes the host of a case of rules and plans: a described host that the lines
// of the case change. docs/fixtures.md lists the verbs.
package hostcase

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/golden"
)

// Host is the host of a case, and what is asked of the rules there.
type Host struct {
	Snapshot *snapshot.Snapshot
	Options  rule.Options
	With     []knob.Address // rules that run too
}

// lines are those of a case, by what they change.
type lines struct {
	Host
	t      *testing.T
	spec   string
	over   map[string]string // files of the evidence by name, instead of those described
	hidden map[string]evidence.Missing
	copies [][2]string
	set    map[string]string
	enum   map[string][]string
}

// Of makes the host of a case.
func Of(t *testing.T, c *golden.Case) Host {
	t.Helper()
	l := lines{t: t, Host: Host{Options: rule.Options{Profile: rule.Mixed, Pins: map[knob.Address]string{}}},
		over: map[string]string{}, hidden: map[string]evidence.Missing{}, set: map[string]string{},
		enum: map[string][]string{}}
	for _, v := range c.Verbs() {
		if err := l.verb(v[0], v[1]); err != nil {
			t.Fatalf("%s %s: %v", v[0], v[1], err)
		}
	}
	for path, text := range c.Files {
		l.over[path] = string(text)
	}
	var err error
	if l.Snapshot, err = snapshot.Read(l.archive()); err != nil {
		t.Fatal(err)
	}
	for i := range l.Snapshot.Instances {
		m, _ := l.Snapshot.Instances[i].Server.Settings.Get()
		for n, v := range l.set {
			e := m[n]
			e.Value, e.Source, e.File = v, "configuration file", "postgresql.conf"
			m[n] = e
		}
		for n, v := range l.enum {
			e := m[n]
			e.Enum = v
			m[n] = e
		}
	}
	return l.Host
}

// Read makes a described host with files of the evidence in place of its own.
func Read(t *testing.T, spec string, files map[string]string) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Read((&lines{t: t, spec: spec, over: files}).archive())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (l *lines) verb(verb, raw string) (err error) {
	val := strings.TrimSpace(raw)
	switch verb {
	case "host":
		l.spec = val
	case "options":
		err = l.options(val)
	case "pin":
		a, v, _ := strings.Cut(val, "=")
		l.Options.Pins[knob.Address(a)] = v
	case "accept":
		p := strings.SplitN(val, " ", 4)
		if len(p) < 4 || p[2] != "*" {
			return fmt.Errorf("it is not ID UNTIL * REASON")
		}
		l.Options.Accepted = append(l.Options.Accepted, rule.Accepted{ID: p[0], Reason: p[3], Expires: p[1]})
	case "with":
		for _, a := range strings.Fields(val) {
			l.With = append(l.With, knob.Address(a))
		}
	case "file":
		path, text, _ := strings.Cut(val, " ")
		l.over[path] = strings.ReplaceAll(text, `\n`, "\n") + "\n"
	case "missing":
		var m evidence.Missing
		m, err = golden.ParseMissing(val)
		l.hidden[m.Name] = m
	case "copy":
		from, to, _ := strings.Cut(val, " ")
		l.copies = append(l.copies, [2]string{from, to})
	case "setting":
		n, v, _ := strings.Cut(raw, " ")
		l.set[n] = v
	case "enum":
		n, v, _ := strings.Cut(val, " ")
		l.enum[n] = strings.Fields(v)
	default:
		err = fmt.Errorf("no verb of a case")
	}
	return err
}

func (l *lines) options(text string) (err error) {
	o := &l.Options
	for _, f := range strings.Fields(text) {
		k, v, _ := strings.Cut(f, "=")
		switch k {
		case "profile":
			o.Profile, err = rule.ParseProfile(v)
		case "storage":
			o.Storage, err = rule.ParseStorage(v)
		case "connections":
			o.Connections, err = strconv.Atoi(v)
		case "active":
			o.Active, err = strconv.Atoi(v)
		case "dedicated":
			o.Shared = v == "false"
		default:
			err = fmt.Errorf("no such option: %s", k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// archive is the described host with files changed, hidden and copied.
func (l *lines) archive() *evidence.Archive {
	l.t.Helper()
	described, err := snapshot.Describe(l.spec)
	if err != nil {
		l.t.Fatalf("host: %v", err)
	}
	a := evidence.New()
	gone := map[string]bool{}
	for path, m := range l.hidden {
		a.AddMissing(m)
		gone[path] = true
	}
	add := func(path string, text []byte) {
		if gone[path] {
			return
		}
		if err := a.Add(path, text); err != nil {
			l.t.Fatal(err)
		}
		gone[path] = true
	}
	for path, text := range l.over {
		add(path, []byte(text))
	}
	for _, path := range described.Names() {
		text, err := described.ReadFile(path)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, c := range l.copies {
			if rest, ok := strings.CutPrefix(path, c[0]); ok {
				add(c[1]+rest, text)
			}
		}
		add(path, text)
	}
	for _, m := range described.MissingFiles() {
		if !gone[m.Name] {
			a.AddMissing(m)
		}
	}
	return a
}
