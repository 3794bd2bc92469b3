// Package policy reads the decisions of a site: pinned values, accepted findings
// with a reason and an expiry, the profile, and the limits of a run. It is a TOML
// file that a person writes; every error in it is reported with file and line, and
// nothing is ignored.
package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/checks/configuration"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// Limits of a file. A person writes it: a hundred pins and a hundred acceptances are
// under 40 kB; the limit on lines also keeps the search for the line of each key at
// about a second of CPU time.
const (
	MaxFile  = 64 << 10
	maxLines = 1000
	maxText  = 1000 // characters of a reason or of a value
)

// Policy is the content of a file.
type Policy struct {
	File    string
	Profile rule.Profile // "" if it names none
	Pins    []Pin        // sorted by address
	Accept  []Acceptance // in the order of the file
	Limits  Limits
	Trust   Trust
}

// Pin is a value that plans keep.
type Pin struct {
	Address knob.Address
	Value   string
	Line    int
}

// Acceptance is one accepted finding with its line.
type Acceptance struct {
	check.Acceptance
	Line int
}

// Limits are the defaults of runs, and bounds for the command line. nil is no limit.
type Limits struct {
	MaxEffect *knob.Effect    // apply does nothing with a larger effect
	FailOn    *check.Severity // check exits with 3 at this severity or a worse one
}

// Trust names the accounts whose instances root trusts.
type Trust struct {
	Owners []string // accounts, by name or user ID; nil: none are named
}

// Accepted returns the acceptances as a check run takes them.
func (p *Policy) Accepted() []check.Acceptance {
	var out []check.Acceptance
	for _, a := range p.Accept {
		out = append(out, a.Acceptance)
	}
	return out
}

// Pin returns the pin of an address, or else that of its family.
func (p *Policy) Pin(a knob.Address) (Pin, bool) {
	i := slices.IndexFunc(p.Pins, func(x Pin) bool { return x.Address == a })
	if i < 0 {
		i = slices.IndexFunc(p.Pins, func(x Pin) bool { return x.Address.Covers(a) })
	}
	if i < 0 {
		return Pin{}, false
	}
	return p.Pins[i], true
}

// Known is what a policy may name.
type Known struct {
	Checks []string // ids
	Knobs  []string // addresses that a rule decides, families of them with a *
}

// All is what this program knows.
func All() Known {
	var k Known
	for _, c := range checks.All() {
		k.Checks = append(k.Checks, c.ID)
	}
	for _, r := range rules.All() {
		k.Knobs = append(k.Knobs, string(r.Address))
	}
	return k
}

// Parse reads a file. The error is a *say.Problem with file, line and a hint.
func Parse(file string, b []byte, k Known) (*Policy, error) {
	r := &reader{file: file, text: string(b), known: k}
	switch {
	case len(b) > MaxFile:
		return nil, r.wrong(0, say.M("the file exceeds {maxFile} bytes", "maxFile", fmt.Sprint(MaxFile)),
			say.M("check the file name: a policy is a short file"))
	case !utf8.Valid(b) || strings.ContainsRune(r.text, 0):
		return nil, r.wrong(0, say.M("the file is not valid UTF-8 text"), say.M("save it as UTF-8"))
	case strings.Count(r.text, "\n") > maxLines:
		return nil, r.wrong(0, say.M("the file exceeds {most} lines", "most", fmt.Sprint(maxLines)),
			say.M("check the file name: a policy is a short file"))
	}
	var doc map[string]any
	md, err := toml.Decode(r.text, &doc)
	if err != nil {
		if pe, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, r.wrong(pe.Position.Line, say.M("invalid TOML: {message}", "message", pe.Message),
				say.M("write lines of the form NAME = \"VALUE\"; 'pgfettle policy example' prints a complete file"))
		}
		return nil, r.wrong(0, say.M("invalid TOML: {error}", "error", err), say.M("'pgfettle policy example' prints "+
			"a complete file"))
	}
	r.keys = md.Keys()
	p := &Policy{File: file}
	if err := r.names(doc, "", 0, "profile", "pins", "accept", "limits", "trust"); err != nil {
		return nil, err
	}
	for _, part := range []func(map[string]any, *Policy) error{r.profile, r.pins, r.accept, r.limits, r.trust} {
		if err := part(doc, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

type reader struct {
	file, text string
	known      Known
	keys       []toml.Key // in the order of the text
	lines      []int      // of each key
}

func (r *reader) wrong(line int, message, hint say.Message) error {
	at := r.file
	if line > 0 {
		at += ":" + strconv.Itoa(line)
	}
	return &say.Problem{Message: say.M("{at}: {message}", "at", at, "message", message), Hint: hint,
		Code: say.CodeUsage}
}

// line returns the line on which a key of a table ends: of the nth entry if the table is a list of tables.
func (r *reader) line(table string, nth int, key string) int {
	if r.lines == nil {
		r.place()
	}
	entry := -1
	for i, k := range r.keys {
		switch {
		case table == "" && len(k) == 1 && k[0] == key:
			return r.lines[i]
		case len(k) == 1 && k[0] == table:
			entry++
			if key == table && entry == nth {
				return r.lines[i]
			}
		case len(k) > 1 && k[0] == table && k[1] == key && (entry == nth || entry < 0):
			return r.lines[i]
		}
	}
	return 0
}

// place finds the line of each key. The library reports only the lines of its own
// errors, but keys in the order of the text: so the text is read again up to each
// line, once, and a key is on the line with which it appears.
func (r *reader) place() {
	r.lines = make([]int, 0, len(r.keys))
	end, n := 0, 0
	for l := range strings.SplitAfterSeq(r.text, "\n") {
		end += len(l)
		n++
		if t := strings.TrimSpace(l); t == "" || t[0] == '#' {
			continue
		}
		var doc map[string]any
		md, err := toml.Decode(r.text[:end], &doc)
		if err != nil {
			continue // in the middle of a value that goes on
		}
		for len(r.lines) < min(len(md.Keys()), len(r.keys)) {
			r.lines = append(r.lines, n)
		}
	}
	for len(r.lines) < len(r.keys) {
		r.lines = append(r.lines, n)
	}
}

// names rejects a key that is none of those.
func (r *reader) names(doc map[string]any, table string, nth int, known ...string) error {
	for _, key := range slices.Sorted(maps.Keys(doc)) {
		if !slices.Contains(known, key) {
			what := say.M("unknown key {key}", "key", say.Quoted(key))
			if table != "" {
				what = say.M("unknown key {key} in {table}", "key", say.Quoted(key), "table", table)
			}
			return r.wrong(r.line(table, nth, key), what, say.DidYouMean(key, known,
				say.M("valid keys: {known}", "known", say.Names(known, 0))))
		}
	}
	return nil
}

// str is a value that has to be a short text without control characters.
func (r *reader) str(v any, line int, what string) (string, error) {
	s, ok := v.(string)
	switch {
	case !ok:
		return "", r.wrong(line, say.M("{what} is not a string", "what", what), say.M("write it in quotes: \"…\""))
	case strings.TrimSpace(s) == "":
		return "", r.wrong(line, say.M("{what} is empty", "what", what), say.M("write a value, or remove the line"))
	case utf8.RuneCountInString(s) > maxText:
		return "", r.wrong(line, say.M("{what} exceeds {maxText} characters", "what", what, "maxText",
			fmt.Sprint(maxText)), say.M("shorten it"))
	case strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c >= 0x7f && c < 0xa0 }):
		return "", r.wrong(line, say.M("{what} contains control characters", "what", what), say.M("write one line of "+
			"plain text"))
	}
	return strings.TrimSpace(s), nil
}

func (r *reader) table(doc map[string]any, name string) (map[string]any, error) {
	v, ok := doc[name]
	if !ok {
		return nil, nil
	}
	t, ok := v.(map[string]any)
	if !ok {
		return nil, r.wrong(r.line("", 0, name), say.M("{name} is not a table", "name", name),
			say.M("start it with a line [{name}]", "name", name))
	}
	return t, nil
}

func (r *reader) profile(doc map[string]any, p *Policy) error {
	v, ok := doc["profile"]
	if !ok {
		return nil
	}
	at := r.line("", 0, "profile")
	s, err := r.str(v, at, "profile")
	if err != nil {
		return err
	}
	if p.Profile, err = rule.ParseProfile(s); err != nil {
		var names []string
		for _, q := range rule.Profiles {
			names = append(names, string(q))
		}
		return r.wrong(at, say.OfError(err), say.DidYouMean(s, names,
			say.M("use mixed for a host with both short transactions and reports")))
	}
	return nil
}

func (r *reader) pins(doc map[string]any, p *Policy) error {
	t, err := r.table(doc, "pins")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		at := r.line("pins", 0, name)
		a, err := knob.Parse(name)
		if err != nil {
			return r.wrong(at, say.M("pin: {error}", "error", err), say.DidYouMean(name, r.known.Knobs,
				say.M("write \"ADDRESS\" = \"VALUE\" as in \"pg:work_mem\" = \"64MB\"")))
		}
		if !slices.Contains(r.known.Knobs, string(a)) && !slices.Contains(r.known.Knobs, string(a.Family())) {
			return r.wrong(at, say.M("pin: pgfettle does not plan {name}", "name", name),
				say.DidYouMean(name, r.known.Knobs, say.M("'pgfettle explain' lists the addresses")))
		}
		pin := Pin{Address: a, Line: at}
		switch v := t[name].(type) {
		case int64:
			pin.Value = strconv.FormatInt(v, 10)
		case float64:
			pin.Value = strconv.FormatFloat(v, 'f', -1, 64)
		case bool:
			pin.Value = map[bool]string{true: "on", false: "off"}[v]
		default:
			if pin.Value, err = r.str(v, at, "pin "+name); err != nil {
				return err
			}
		}
		p.Pins = append(p.Pins, pin)
	}
	return nil
}

const acceptForm = `write [[accept]], then id, reason and expires = 2027-01-31 (or expires = "never")`

func (r *reader) accept(doc map[string]any, p *Policy) error {
	v, ok := doc["accept"]
	if !ok {
		return nil
	}
	list, ok := v.([]map[string]any)
	if !ok {
		return r.wrong(r.line("", 0, "accept"), say.M("accept is not an array of tables"), say.M(acceptForm))
	}
	for i, t := range list {
		a, err := r.acceptance(t, i)
		if err != nil {
			return err
		}
		for _, b := range p.Accept {
			if a.ID == b.ID && a.Instance == b.Instance {
				return r.wrong(a.Line, say.M("{id} is already accepted on line {line}", "id", a.ID, "line",
					fmt.Sprint(b.Line)),
					say.M("remove one of the entries"))
			}
		}
		p.Accept = append(p.Accept, a)
	}
	return nil
}

func (r *reader) acceptance(t map[string]any, i int) (a Acceptance, err error) {
	keys := []string{"id", "instance", "reason", "expires"}
	if err := r.names(t, "accept", i, keys...); err != nil {
		return a, err
	}
	a.Line = r.line("accept", i, "accept")
	for _, k := range []string{"id", "reason", "expires"} {
		if _, ok := t[k]; !ok {
			return a, r.wrong(a.Line, say.M("this acceptance has no {value}", "value", k), say.M(acceptForm))
		}
	}
	at := r.line("accept", i, "id")
	if a.ID, err = r.str(t["id"], at, "id"); err != nil {
		return a, err
	}
	switch {
	case a.ID == configuration.PolicyExpired.ID:
		return a, r.wrong(at, say.M("an expired acceptance cannot be accepted"),
			say.M("write a new date into the expired entry"))
	case !slices.Contains(r.known.Checks, a.ID):
		return a, r.wrong(at, say.M("unknown check {id}", "id", strconv.Quote(a.ID)),
			say.DidYouMean(a.ID, r.known.Checks, say.M("'pgfettle explain' lists the checks")))
	}
	if a.Reason, err = r.str(t["reason"], r.line("accept", i, "reason"), "reason"); err != nil {
		return a, err
	}
	if v, ok := t["instance"]; ok {
		if a.Instance, err = r.str(v, r.line("accept", i, "instance"), "instance"); err != nil {
			return a, err
		}
	}
	at = r.line("accept", i, "expires")
	if a.Expires = day(t["expires"]); a.Expires == "" {
		return a, r.wrong(at, say.M("expires is not a date"), say.M("write a date such as 2027-01-31, or \"never\""))
	}
	return a, nil
}

// day reads a date, in quotes or not, or never; "" if it is none.
func day(v any) string {
	switch v := v.(type) {
	case time.Time:
		// The library names a zone after what was written. A time of day would be
		// ignored, so it is rejected.
		if v.Location().String() == "date-local" {
			return v.Format(time.DateOnly)
		}
	case string:
		if _, err := time.Parse(time.DateOnly, v); err == nil || v == check.Never {
			return v
		}
	}
	return ""
}

func (r *reader) limits(doc map[string]any, p *Policy) error {
	t, err := r.table(doc, "limits")
	if err != nil || t == nil {
		return err
	}
	if err := r.names(t, "limits", 0, "max_effect", "fail_on"); err != nil {
		return err
	}
	if v, ok := t["max_effect"]; ok {
		at := r.line("limits", 0, "max_effect")
		s, err := r.str(v, at, "max_effect")
		if err != nil {
			return err
		}
		e, err := knob.ParseEffect(s)
		if err != nil {
			return r.wrong(at, say.M("max_effect: {error}", "error", err), say.M("use now, reload, restart or reboot"))
		}
		p.Limits.MaxEffect = &e
	}
	if v, ok := t["fail_on"]; ok {
		at := r.line("limits", 0, "fail_on")
		s, err := r.str(v, at, "fail_on")
		if err != nil {
			return err
		}
		sev, err := check.ParseSeverity(s)
		if err != nil {
			return r.wrong(at, say.M("fail_on: {error}", "error", err), say.M("use critical, warning, notice or info"))
		}
		p.Limits.FailOn = &sev
	}
	return nil
}
