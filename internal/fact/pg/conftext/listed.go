package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	nameToken = regex.New(
		`(?i)(?:^|[\s{,(\-])["']?(name|option|key|param|parameter|parameter_?name|setting_name)["']?\s*` +
			`[:=]>?\s*["']?([A-Za-z_][\w.]*)["']?`)
	valueToken = regex.New(
		`(?i)(?:^|[\s{,(])["']?(value|val|parameter_?value|current_?value)["']?\s*[:=]>?\s*` +
			`("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,}#"']+)`)
	configEntry = regex.New(
		`config_entry\s*\{\s*["']([\w.]+)["']\s*:(?:\s*value\s*=>\s*("[^"]*"|'[^']*'|[^\s,}]+))?`)
	arrowValue = regex.New(`^\s*value\s*=>\s*("[^"]*"|'[^']*'|[^\s,}]+)`)
	cliList    = regex.New(`ParameterName=["']?([\w.]+)["']?,\s*ParameterValue=("[^"]*"|'[^']*'|[^\s,"']+)`)
	flagsList  = regex.New(`--(?:database-flags|parameters|set(?:-string)?)[= ]["']?` +
		`([A-Za-z_][\w.]*=("[^"]*"|'[^']*'|[^\s"']+))`)
)

// within is how many lines the value may stand below its name: Azure writes a dozen keys
// between them.
const within = 16

// listed reads lists of objects of a name and a value: parameter groups of RDS, flags of
// Cloud SQL, configurations of Azure, variables of Ansible roles.
func (r *reader) listed() Text {
	t := Text{Form: r.listedForm()}
	name, at := "", 0
	var rows []Setting
	add := func(n string, v string, line int) {
		v = unquote(v)
		if n = spelled(n); n == "" {
			return
		}
		if v == "" && !emptyMeans(n) || strings.EqualFold(v, "null") {
			return
		}
		rows = append(rows, setting(n, v, line))
	}
	var unknown []Setting
	for _, l := range r.lines {
		s := unmark(l.text)
		if c := strings.TrimSpace(s); c == "" || c[0] == '#' || strings.HasPrefix(c, "//") {
			continue
		}
		listed := cliList.FindAllStringSubmatch(s, -1)
		for _, m := range listed {
			add(m[1], m[2], l.n)
		}
		if len(listed) > 0 { // --parameters stands before them, and its first is one of them
			continue
		}
		for _, m := range flagsList.FindAllStringSubmatch(s, -1) {
			list := strings.Split(m[1], ",")
			if m[2][0] == '"' || m[2][0] == '\'' {
				list = []string{m[1]}
			}
			for _, one := range list {
				if k, v, ok := strings.Cut(one, "="); ok {
					add(lastKey(k), v, l.n)
				}
			}
		}
		if m := configEntry.FindStringSubmatch(s); m != nil {
			if name, at = m[1], l.n; m[2] != "" {
				add(m[1], m[2], l.n)
				name = ""
			}
			continue
		}
		if m := arrowValue.FindStringSubmatch(s); m != nil && name != "" {
			add(name, m[1], at)
			name = ""
			continue
		}
		if m := nameToken.FindStringSubmatch(s); m != nil {
			name, at = m[2], l.n
		}
		m := valueToken.FindStringSubmatch(s)
		if m == nil || name == "" || l.n-at > within {
			continue
		}
		switch {
		case spelled(name) != "":
			add(name, m[2], at)
		case ident(name) && strings.Contains(name, ".") && strings.ToLower(name) == name:
			unknown = append(unknown, setting(name, unquote(m[2]), at))
		case ident(name) && strings.Contains(name, "_") && strings.ToLower(name) == name && !r.sign.kube:
			unknown = append(unknown, setting(name, unquote(m[2]), at))
		}
		name = ""
	}
	if len(unknown) <= len(rows) {
		rows = merge(rows, unknown)
	}
	t.Settings = rows
	r.plays(t.Settings)
	if t.Form == YAML || t.Form == Manifest {
		r.cut(&t)
	}
	return t
}

// plays gives the settings of a playbook of Ansible with several plays the play that they are in: each is for hosts of
// its own.
func (r *reader) plays(list []Setting) {
	type play struct {
		n    int
		name string
	}
	var plays []play
	hosts := 0
	for _, l := range r.lines {
		if rest, ok := strings.CutPrefix(l.text, "- "); ok {
			_, name, _ := strings.Cut(rest, ":")
			plays = append(plays, play{l.n, unquote(strings.TrimSpace(name))})
		}
		if strings.HasPrefix(strings.TrimPrefix(strings.TrimSpace(l.text), "- "), "hosts:") {
			hosts++
		}
	}
	if hosts < 2 || len(plays) < 2 {
		return
	}
	for i := range list {
		for _, p := range plays {
			if p.n <= list[i].Line {
				list[i].Server = p.name
			}
		}
	}
}

// lastKey is the last part of a path of keys, where it alone names a setting: postgresql.config.sharedBuffers of Helm.
func lastKey(path string) string {
	if at := strings.LastIndexByte(path, '.'); at >= 0 && spelled(path) == "" && telling(spelled(path[at+1:])) {
		return path[at+1:]
	}
	return path
}

// unmark takes the marks of a diff off a line.
func unmark(s string) string {
	if s != "" && (s[0] == '+' || s[0] == '>') {
		return s[1:]
	}
	return s
}

func (r *reader) listedForm() Form {
	s := &r.sign
	switch {
	case s.product != "":
		return s.product
	case s.kube:
		return Manifest
	case s.terraform:
		return Terraform
	case s.json:
		return JSON
	}
	for _, l := range r.lines {
		if strings.HasPrefix(strings.TrimSpace(l.text), "- ") && strings.Contains(l.text, ": ") &&
			!strings.Contains(l.text, "{") {
			return YAML
		}
	}
	return List
}
