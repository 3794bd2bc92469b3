// Package goldens holds the goldens of every document in every form that a face writes.
package goldens

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	showjson "github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/test/golden"
)

// A case is a txtar file: its first line says it in plain words; given.json is
// the document; facts.json is what of the snapshot a file form asks for; each
// file below want/ is one form, whose name says how it is rendered
// (text-80, text-80-color, json, conf.KEY, alter-system.KEY, sysctl, files,
// ansible, script, patroni.KEY, cnpg.KEY, docker.KEY); with +risk behind it (sysctl+risk)
// the changes of high risk were accepted.
func goldens(t *testing.T, dir string, form func(t *testing.T, given, facts []byte, name string) string) {
	golden.Files(t, filepath.Join("testdata", dir, "*.txtar"), func(t *testing.T, c *golden.File) map[string][]byte {
		for name := range c.Given {
			if name != "given.json" && name != "facts.json" {
				t.Errorf("%s: a file of no meaning here", name)
			}
		}
		out := map[string][]byte{}
		for _, name := range c.Wants {
			got := form(t, c.Given["given.json"], c.Given["facts.json"], strings.TrimPrefix(name, "want/"))
			// ESC and CR would not survive an editor.
			got = strings.NewReplacer("\x1b", "␛", "\r", "␍").Replace(got)
			if !strings.HasSuffix(got, "\n") {
				got += "\n"
			}
			out[name] = []byte(got)
		}
		return out
	})
}

func decode(t *testing.T, b []byte, v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatal(err)
	}
}

// style reads the form's name: text-80, text-80-color.
func style(t *testing.T, name string) term.Style {
	t.Helper()
	parts := strings.Split(name, "-")
	w, err := strconv.Atoi(parts[1])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return term.Style{Width: w, Color: len(parts) > 2}
}

func TestCheckForms(t *testing.T) {
	goldens(t, "check", func(t *testing.T, given, _ []byte, name string) string {
		var d document.Check
		decode(t, given, &d)
		var b bytes.Buffer
		var err error
		if name == "json" {
			err = showjson.Check(&b, d)
			valid(t, "check", b.Bytes())
		} else {
			err = term.Write(&b, outline.ShortCheck(d, nil), style(t, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

func TestPlanForms(t *testing.T) {
	goldens(t, "plan", func(t *testing.T, given, facts []byte, name string) string {
		var d document.Plan
		decode(t, given, &d)
		s := snapshotOf(t, facts)
		// The key is not in the JSON: instances are distinguished by their label there.
		for i := range d.Changes {
			for j := range s.Instances {
				if in := &s.Instances[j]; in.Label() == d.Changes[i].Instance {
					d.Changes[i].Key = in.Key
				}
			}
		}
		var b bytes.Buffer
		var err error
		form, key, _ := strings.Cut(name, ".")
		form, risk := strings.CutSuffix(form, "+risk")
		for i := range d.Changes {
			if risk && d.Changes[i].Risk == knob.High {
				d.Accepted = append(d.Accepted, selection.WhichOf(&d.Changes[i]))
			}
		}
		switch form {
		case "json":
			err = showjson.Plan(&b, d)
			valid(t, "plan", b.Bytes())
		case "conf":
			err = export.Conf(&b, d, s, key)
		case "alter-system":
			err = export.AlterSystem(&b, d, s, key)
		case "sysctl":
			err = export.Sysctl(&b, d, s)
		case "ansible":
			err = export.Ansible(&b, d, s)
			yamlRoundTrip(t, b.Bytes())
		case "script":
			err = export.Script(&b, d, s)
			shellReads(t, b.String())
		case "patroni":
			err = export.Patroni(&b, d, s, key)
			yamlRoundTrip(t, b.Bytes())
		case "cnpg":
			err = export.CNPG(&b, d, s, key)
			yamlRoundTrip(t, b.Bytes())
		case "docker":
			err = export.Docker(&b, d, s, key)
			shellReads(t, b.String())
		case "files":
			var files []export.File
			files, err = export.Files(d, s)
			for _, f := range files {
				b.WriteString("== " + f.Name + " → " + f.Place + " (" + f.Then + ")\n")
				if !strings.HasSuffix(f.Name, "00-pgfettle.conf") { // the form conf shows that one
					b.Write(f.Body)
				}
			}
		default:
			err = term.Write(&b, outline.Plan(d, nil), style(t, name))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}

// given facts: what of a snapshot the file forms ask for.
type givenFacts struct {
	SysctlConf []host.SysctlSet
	HugeTotal  *int64 // pages of 2 MB that the pool has; nil: the memory is not known
	CPUs       int
	Instances  []struct {
		Key, DataDirectory string
		Version            int
		Settings           []pg.Setting
		Unit               string
	}
}

func snapshotOf(t *testing.T, facts []byte) *snapshot.Snapshot {
	t.Helper()
	s := &snapshot.Snapshot{HostSeen: true}
	if facts == nil {
		return s
	}
	var g givenFacts
	decode(t, facts, &g)
	s.Host.SysctlConf = known.Is(g.SysctlConf)
	if g.HugeTotal != nil {
		s.Host.Memory = known.Is(host.Memory{HugePageSize: 2 * unit.MB, HugeTotal: *g.HugeTotal})
	}
	if g.CPUs > 0 {
		s.Host.CPU = known.Is(host.CPU{Logical: g.CPUs})
	}
	for _, gi := range g.Instances {
		in := snapshot.Instance{Key: gi.Key, DataDirectory: known.Is(gi.DataDirectory)}
		in.Server.Version = version(gi.Version)
		m := pg.Settings{}
		for _, set := range gi.Settings {
			m[set.Name] = set
		}
		in.Server.Settings = known.Is(m)
		if gi.Unit != "" {
			in.Unit = known.Is(host.Unit{Name: gi.Unit})
		}
		s.Instances = append(s.Instances, in)
	}
	return s
}
