package checks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/test/golden"
)

// TestCases runs AREA/testdata/ID.txtar, the cases of the check ID: their lines change
// the well-kept host of host_test.go. docs/fixtures.md lists the verbs.
func TestCases(t *testing.T) {
	for _, ck := range All() {
		t.Run(ck.ID, func(t *testing.T) {
			file := caseFile(t, ck.ID)
			cases := golden.ReadCases(t, file)
			seen := map[string]bool{}
			for i := range cases.List {
				c := &cases.List[i]
				kind, _, _ := strings.Cut(c.Name, ":")
				seen[kind] = true
				got := runCase(t, ck, kind, *c)
				if !golden.Updating() && got != c.Want {
					t.Errorf("%s\n--- got\n%s--- want\n%s", c.Name, got, c.Want)
				}
				c.Want = got
			}
			for _, kind := range []string{"fires", "silent", "missing"} {
				if !seen[kind] {
					t.Errorf("no case «%s: …»", kind)
				}
			}
			cases.Update(t)
		})
	}
	files, err := filepath.Glob("*/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(All()) {
		t.Errorf("%d files of cases for %d checks", len(files), len(All()))
	}
}

// caseFile is the file of a check's cases, in the directory of its area.
func caseFile(t *testing.T, id string) string {
	t.Helper()
	files, err := filepath.Glob("*/testdata/" + id + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 {
		t.Fatalf("%d files of cases for %s: %v", len(files), id, files)
	}
	return files[0]
}

func runCase(t *testing.T, ck check.Check, kind string, c golden.Case) string {
	t.Helper()
	s, with, err := build(c.Lines)
	o := policyOf(c.Lines)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	o.Only = append(with, ck.ID)
	r := check.Run(s, All(), o)
	var b strings.Builder
	n := 0
	for _, f := range r.Findings {
		if f.ID != ck.ID {
			fmt.Fprintf(&b, "(%s) ", f.ID)
		} else {
			n++
		}
		fmt.Fprintf(&b, "%s: %s\n", f.Severity, f.Seen)
		if f.ID == ck.ID && f.Do.English() != ck.Do {
			fmt.Fprintf(&b, "do: %s\n", f.Do)
		}
	}
	for _, f := range r.Accepted {
		fmt.Fprintf(&b, "accepted until %s: %s: %s: %s\n", f.Expires, f.ID, f.Seen, f.Reason)
	}
	for _, g := range r.Unknown {
		fmt.Fprintf(&b, "unknown: %s: %s\n", g.Fact, g.Reason)
	}
	if b.Len() == 0 {
		b.WriteString("nothing\n")
	}
	ok := false
	switch kind {
	case "fires":
		ok = n > 0
	case "silent", "absent":
		ok = n == 0 && len(r.Unknown) == 0
	case "missing":
		ok = n == 0 && len(r.Unknown) > 0
	}
	if !ok {
		t.Errorf("%s: not so:\n%s", c.Name, b.String())
	}
	return b.String()
}

// policyOf reads what a case says of the policy.
func policyOf(lines string) (o check.Options) {
	for line := range strings.SplitSeq(lines, "\n") {
		switch f := strings.Fields(line); {
		case len(f) == 2 && f[0] == "today":
			o.Today = f[1]
		case len(f) > 4 && f[0] == "accept":
			o.Accept = append(o.Accept, check.Acceptance{ID: f[1], Expires: f[2], Instance: strings.Trim(f[3], "*"),
				Reason: strings.Join(f[4:], " ")})
		}
	}
	return o
}

// build makes the snapshot of a case.
func build(lines string) (*snapshot.Snapshot, []string, error) {
	s := wellKept()
	var with []string
	for _, line := range strings.Split(lines, "\n") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var err error
		switch verb {
		case "", "today", "accept": // policyOf reads the latter
			continue
		case "set", "unset", "pending", "pg":
			err = server(&s.Instances[0], verb, rest)
		case "sysctl":
			name, v, _ := strings.Cut(rest, "=")
			s.Host.Sysctls[name] = known.Is(v)
		case "with":
			with = append(with, strings.Fields(rest)...)
		default:
			s, err = patch(s, verb, rest)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%q: %w", line, err)
		}
	}
	return s, with, nil
}

func server(in *snapshot.Instance, verb, rest string) error {
	set, ok := in.Server.Settings.Get()
	if !ok {
		return fmt.Errorf("the settings are hidden")
	}
	switch verb {
	case "pg":
		major, minor, _ := strings.Cut(rest, ".")
		a, err1 := strconv.Atoi(major)
		b, err2 := strconv.Atoi(minor)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("not a version")
		}
		v := unit.Version(a*10000 + b)
		in.Server.Version = known.Is(v)
		set["server_version_num"] = pg.Setting{Name: "server_version_num", Value: strconv.Itoa(int(v))}
	case "unset":
		if _, ok := set[rest]; !ok {
			return fmt.Errorf("no such setting")
		}
		delete(set, rest)
	case "pending":
		p := set[rest]
		p.Name, p.PendingRestart = rest, true
		set[rest] = p
	default:
		name, v, _ := strings.Cut(rest, "=")
		p, ok := set[name]
		if !ok {
			p = pg.Setting{Name: name}
		}
		if f, err := unit.ParseGUC(v, p.Unit); err == nil {
			v = strconv.FormatFloat(f, 'f', -1, 64)
		}
		p.Value = v
		set[name] = p
	}
	return nil
}

// patch changes the JSON form of the snapshot.
func patch(s *snapshot.Snapshot, verb, rest string) (*snapshot.Snapshot, error) {
	doc, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var root any
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	if err := dec.Decode(&root); err != nil {
		return nil, err
	}
	path, text, _ := strings.Cut(rest, " ")
	gap := map[string]any{"fact": path, "reason": "permission denied", "reveal": "run as root"}
	switch verb {
	case "fact", "add":
		err = put(root, path, func(old any) (any, error) {
			v := value(text)
			if isFact(old) {
				v = map[string]any{"is": v}
			}
			return v, nil
		}, verb == "add")
	case "hide", "absent":
		err = put(root, path, func(old any) (any, error) {
			if !isFact(old) {
				return nil, fmt.Errorf("%s is no fact", path)
			}
			return map[string]any{map[string]string{"hide": "forbidden", "absent": "absent"}[verb]: gap}, nil
		}, false)
	case "backends":
		n, err := strconv.Atoi(path)
		if err != nil {
			return nil, err
		}
		list := step(step(step(step(root, "instances"), "0"), "processes"), "")
		all, ok := list.([]any)
		if !ok {
			return nil, fmt.Errorf("no processes to add to")
		}
		for i := range n {
			p := value(text).(map[string]any)
			p["pid"] = json.Number(strconv.Itoa(1000 + i))
			all = append(all, p)
		}
		step(step(root, "instances"), "0").(map[string]any)["processes"] = map[string]any{"is": all}
	default:
		return nil, fmt.Errorf("no such verb")
	}
	if err != nil {
		return nil, err
	}
	if doc, err = json.Marshal(root); err != nil {
		return nil, err
	}
	out := &snapshot.Snapshot{}
	dec = json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	return out, dec.Decode(out)
}

func isFact(v any) bool {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return false
	}
	for _, k := range []string{"is", "absent", "forbidden", "unread"} {
		if _, ok := m[k]; ok {
			return true
		}
	}
	return false
}

// step goes one key down; "" stays, but steps into a fact.
func step(v any, key string) any {
	if isFact(v) {
		v = v.(map[string]any)["is"]
	}
	if key == "" {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		return v[key]
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i < len(v) {
			return v[i]
		}
	}
	return nil
}

func put(root any, path string, change func(old any) (any, error), fresh bool) error {
	if rest, ok := strings.CutPrefix(path, "in."); ok {
		path = "instances.0." + rest
	}
	keys := strings.Split(path, ".")
	for _, dotted := range []string{"host.sysctls.", "instances.0.cgroup.limited_by."} { // keys with dots in them
		if name, ok := strings.CutPrefix(path, dotted); ok {
			keys = append(strings.Split(strings.TrimSuffix(dotted, "."), "."), name)
		}
	}
	at := root
	for _, k := range keys[:len(keys)-1] {
		if at = step(at, k); at == nil {
			return fmt.Errorf("no %s on the way", k)
		}
	}
	m, ok := step(at, "").(map[string]any)
	if !ok {
		return fmt.Errorf("the end of the path is in no object")
	}
	last := keys[len(keys)-1]
	old, there := m[last]
	if there == fresh {
		return fmt.Errorf("%s: there: %v", last, there)
	}
	v, err := change(old)
	m[last] = v
	return err
}

var amount = regexp.MustCompile(`^[0-9.]+ ?(kB|MB|GB|TB)$`)

// value reads JSON, an amount, or else a plain text.
func value(text string) any {
	var v any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&v) != nil || dec.More() {
		v = text
	}
	return amounts(v)
}

func amounts(v any) any {
	switch v := v.(type) {
	case string:
		if b, err := unit.ParseBytes(v); err == nil && amount.MatchString(v) {
			return json.Number(strconv.FormatInt(int64(b), 10))
		}
	case map[string]any:
		for k := range v {
			if k != "value" && k != "unit" { // texts of settings
				v[k] = amounts(v[k])
			}
		}
	case []any:
		for i := range v {
			v[i] = amounts(v[i])
		}
	}
	return v
}
