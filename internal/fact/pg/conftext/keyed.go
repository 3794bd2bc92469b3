package conftext

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// pair is a key with a value in a text of nested keys: YAML, JSON, Jsonnet, Nix, HCL.
type pair struct {
	key, value string
	n          int
	quoted     bool   // an empty value was written, not left out
	group      int    // the pairs of one map have one number
	path       string // keys above it, joined by slashes, the nearest last
	parent     string // the nearest one
	block      bool   // it is a line of a text within the text
	equals     bool   // an equals sign parts it, not a colon
}

var (
	keyLine = regex.New(
		`^(?:(?:"([^"]{1,64})"|'([^']{1,64})'|([A-Za-z_][\w.\-/]*)))\s*(:|=>|=)(?:\s+|$|["'\[{<|>\d\-])`)
	heredoc = regex.New(`^<<[-~]?\s*["']?(\w+)["']?`)
	// a pair of a map that stands on one line
	inline = regex.New(`["']?([A-Za-z_][\w.\-]*)["']?\s*:\s*("[^"]*"|'[^']*'|[^\s,{}"'\[\]]+)`)
)

// maps are keys whose values are parameters of the server, whatever their names.
var maps = map[string]bool{
	"parameters": true, "postgresql.conf": true, "postgresqlConfiguration": true, "postgresql_parameters": true,
	"postgresqlExtendedConf": true, "postgresql_conf": true, "pgParameters": true, "pg_parameters": true,
}

// files are keys whose text is a postgresql.conf.
var files = map[string]bool{
	"postgresql.conf": true, "extendedConfiguration": true, "configuration": true, "custom.conf": true,
	"postgresqlConfiguration": true, "postgresqlExtendedConf": true, "extendedConf": true, "postgres.conf": true,
	"postgresql-config": true, "extraConfig": true, "override.conf": true, "postgresql-overrides.conf": true,
}

type level struct {
	indent int
	key    string
	group  int
}

// pairs scans the text once.
func (r *reader) pairs() []pair {
	if r.yaml != nil {
		return r.yaml
	}
	out := []pair{}
	stack := []level{{indent: -1}}
	groups := 0
	block, until, blockIndent := "", "", 0 // the key of a text within the text, and how it ends
	for _, l := range r.lines {
		t := strings.TrimLeft(l.text, " \t")
		indent := len(l.text) - len(t)
		t = strings.TrimRight(t, " \t")
		if t == "" {
			continue
		}
		if block != "" {
			p := conf.Parse(t)[0]
			switch {
			case until != "" && t == until:
				block = ""
				continue
			case until != "" || indent > blockIndent || p.Err == "" && p.Name != "" && strings.Contains(t, "="):
				if list := meant(t); len(list) > 0 && (p.Err == "" || len(list) == 1) {
					for _, s := range list {
						out = append(out, pair{key: s.Name, value: s.Value, n: l.n, quoted: true, parent: block,
							block: true, group: -1})
					}
				}
				continue
			}
			block = ""
		}
		if strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") {
			continue
		}
		item := false
		for strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "{ ") || strings.HasPrefix(t, "+ ") {
			cut := len(t) - len(strings.TrimLeft(t[1:], " "))
			t, indent, item = t[cut:], indent+cut, true
		}
		m := keyLine.FindStringSubmatch(t)
		if m == nil {
			continue
		}
		key := m[1] + m[2] + m[3]
		value := strings.TrimSpace(t[strings.Index(t, m[4])+len(m[4]):])
		if at := strings.Index(t[min(len(key), len(t)):], m[4]); at >= 0 {
			value = strings.TrimSpace(t[min(len(key), len(t))+at+len(m[4]):])
		}
		for len(stack) > 1 && stack[len(stack)-1].indent >= indent {
			stack = stack[:len(stack)-1]
		}
		top := &stack[len(stack)-1]
		if top.group == 0 || item {
			groups++
			top.group = groups
		}
		value, quoted := scalar(value)
		switch {
		case strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">"):
			block, until, blockIndent = key, "", indent
		case heredoc.MatchString(value):
			block, until, blockIndent = key, heredoc.FindStringSubmatch(value)[1], indent
		case value == "''" && !quoted:
			block, until, blockIndent = key, "''", indent
		case !quoted && (value == "" || value == "{" || value == "["):
			stack = append(stack, level{indent: indent, key: key})
		case !quoted && value[0] == '{' && strings.Contains(value, ":"):
			groups++
			for _, m := range inline.FindAllStringSubmatch(value, maxSettings) {
				v, quoted := scalar(strings.TrimSpace(m[2]))
				out = append(out, pair{key: m[1], value: v, n: l.n, quoted: quoted, group: groups,
					path: joined(stack) + "/" + key, parent: key})
			}
		default:
			out = append(out, pair{key: key, value: value, n: l.n, quoted: quoted, group: top.group,
				path: joined(stack), parent: top.key, equals: m[4] != ":"})
		}
		if len(out) >= maxSettings {
			break
		}
	}
	r.yaml = out
	return out
}

func joined(stack []level) string {
	var keys []string
	for _, l := range stack[1:] {
		keys = append(keys, l.key)
	}
	if len(keys) > 16 {
		keys = keys[len(keys)-16:]
	}
	return strings.Join(keys, "/")
}

// scalar takes a value out of its quotes and what stands behind it: a remark, a comma,
// a semicolon, a brace that closes its map.
func scalar(v string) (string, bool) {
	if v == "" {
		return "", false
	}
	if q := v[0]; (q == '"' || q == '\'') && !strings.HasPrefix(v, "''") || v == "''" || strings.HasPrefix(v, "'' ") ||
		strings.HasPrefix(v, "'',") {
		if end := strings.IndexByte(v[1:], v[0]); end >= 0 {
			in := v[1 : 1+end]
			if v == "''" {
				return v, false // of YAML an empty value, of Nix the begin of a text; pairs knows
			}
			if q == '"' && len(in) > 1 && in[0] == '\'' && in[len(in)-1] == '\'' {
				in = in[1 : len(in)-1] // the quotes of the server within those of the text
			}
			return in, true
		}
		return "", false // it does not end: the text was cut
	}
	for _, mark := range []string{" #", "\t#", " //"} {
		if at := strings.Index(v, mark); at >= 0 {
			v = v[:at]
		}
	}
	v = strings.TrimSpace(v)
	if !strings.HasPrefix(v, "{{") {
		v = strings.TrimRight(v, ",; ")
		if v != "{" && v != "{}" && strings.HasSuffix(v, "}") && !strings.Contains(v, "{") {
			v = strings.TrimRight(v, "} ,;")
		}
	}
	return v, false
}

// keyed reads parameters out of nested keys.
func (r *reader) keyed() Text {
	t := Text{Form: r.keyedForm()}
	pairs := slices.DeleteFunc(slices.Clone(r.pairs()), func(p pair) bool {
		return p.equals && !r.sign.nix && !r.sign.terraform || strings.HasPrefix(p.path, "status")
	})
	pairs = withoutPoolers(pairs)
	tells := map[int]int{}
	for _, p := range pairs {
		if n := spelled(p.key); n != "" && strings.ContainsAny(n, "_.") {
			tells[p.group]++
		}
	}
	for _, p := range pairs {
		name := spelled(p.key)
		inMap := maps[p.parent] && !p.block
		switch {
		case p.block:
			if name == "" && !files[p.parent] {
				continue
			}
			name = p.key
		case inMap && ident(p.key):
			if name == "" {
				name = p.key
			}
		case name == "" || tells[p.group] < 2 && !(tells[p.group] == 1 && near(p.parent)):
			continue
		}
		if p.value == "" && !p.block && !emptyMeans(name) || strings.HasPrefix(p.value, "[") {
			continue
		}
		if p.key != name && strings.EqualFold(p.value, "null") {
			continue
		}
		set := setting(name, remarked(p.value), p.n)
		if top, _, _ := strings.Cut(p.path, "/"); t.Form == Helm && (top == "primary" || top == "readReplicas") {
			set.Server = top
		}
		t.Settings = append(t.Settings, set)
	}
	r.cut(&t)
	return t
}

// poolerKeys are those of a connection pooler alone: others of its map are its own too, log_connections among them.
var poolerKeys = map[string]bool{"pool_mode": true, "default_pool_size": true, "max_client_conn": true,
	"reserve_pool_size": true, "ignore_startup_parameters": true, "server_lifetime": true, "server_idle_timeout": true,
	"max_db_connections": true, "min_pool_size": true, "num_init_children": true, "max_pool": true}

// poolerPath is a key above the settings of one.
var poolerPath = regex.New(`(?i)(?:^|/)[\w.-]*(?:pgbouncer|pooler|pgpool|odyssey|pgcat|supavisor)[\w.-]*(?:/|$)`)

// withoutPoolers leaves out the maps of connection poolers.
func withoutPoolers(pairs []pair) []pair {
	of := pooled(pairs)
	return slices.DeleteFunc(pairs, func(p pair) bool { return pooler(p, of) })
}

// pooled are the groups of pairs that have a key of a pooler alone.
func pooled(pairs []pair) map[int]bool {
	of, servers := map[int]bool{}, map[int]bool{}
	for _, p := range pairs {
		if p.block || p.group <= 0 {
			continue
		}
		if poolerKeys[p.key] {
			of[p.group] = true
		} else if n := spelled(p.key); telling(n) && !sharedKeys[n] {
			servers[p.group] = true
		}
	}
	for g := range servers { // the settings of both in one map
		delete(of, g)
	}
	return of
}

// sharedKeys are names that a pooler has as well as the server.
var sharedKeys = map[string]bool{"log_connections": true, "log_disconnections": true, "listen_addresses": true,
	"unix_socket_directories": true, "max_connections": true, "tcp_user_timeout": true}

// pooler says whether a pair is of such a map.
func pooler(p pair, of map[int]bool) bool {
	return !p.equals && (!p.block && p.path != "" && of[p.group] || poolerPath.MatchString(p.path+"/"+p.parent))
}

// poolerLines are the lines of such maps, with those that begin them.
func (r *reader) poolerLines() map[int]bool {
	out := map[int]bool{}
	if !strings.Contains(r.text, ":") {
		return out
	}
	pairs := r.pairs()
	of := pooled(pairs)
	for _, p := range pairs {
		if pooler(p, of) {
			out[p.n] = true
		}
	}
	for _, l := range r.lines {
		key, rest, ok := strings.Cut(strings.TrimSpace(l.text), ":")
		if ok && rest == "" && poolerPath.MatchString(key) {
			out[l.n] = true
		}
	}
	return out
}

// typed is a value of Python with its type before it.
var typed = regex.New(`^(?:str|int|float|bool|Optional\[\w+\])\s*=\s*(.+)$`)

// remarked is a value without what a person or a program wrote around it.
func remarked(v string) string {
	if m := typed.FindStringSubmatch(v); m != nil {
		v, _ = scalar(m[1])
	}
	return unspelled(v)
}

// near says whether the key above a lonely parameter tells that it is one.
func near(parent string) bool {
	low := strings.ToLower(parent)
	return strings.Contains(low, "param") || strings.Contains(low, "conf") || strings.Contains(low, "postgres") ||
		strings.Contains(low, "setting")
}

// emptyMeans says whether an empty value is one: that of a text. Elsewhere it stands for
// the default.
func emptyMeans(name string) bool {
	p, ok := params.Find(params.Newest(), name)
	return ok && p.Type == "string"
}

// cut tells of a last line that ends within a name or a value.
func (r *reader) cut(t *Text) {
	for i := len(r.lines) - 1; i >= 0; i-- {
		l := r.lines[i]
		s := strings.TrimSpace(l.text)
		if s == "" {
			continue
		}
		if ident(s) || strings.Count(s, `"`)%2 == 1 && !strings.Contains(s, "<<") {
			t.Unread.add(l.n, l.text)
		}
		return
	}
}

// keyedForm says what a text of nested keys is.
func (r *reader) keyedForm() Form {
	s := &r.sign
	helm := false
	for _, p := range r.pairs() {
		helm = helm || p.block && files[p.parent] && p.parent != "postgresql.conf"
	}
	switch {
	case s.product != "":
		return s.product
	case helm:
		return Helm
	case s.kube:
		return Manifest
	case s.patroni > 1:
		return Patroni
	case s.terraform:
		return Terraform
	case s.nix:
		return NixOS
	case s.compose:
		return Compose
	case s.json:
		return JSON
	}
	return YAML
}

// nixPriority is what a module of NixOS puts before a value so that it wins over other modules, or yields to them.
var nixPriority = regex.New(`^(?:lib\.)?mk(?:Force|Default|VMOverride|ImageMediaOverride|Override\s+\d+)\s+`)

// nixos reads a module of NixOS, whose assignments end with semicolons. One setting has an option of its own.
func (r *reader) nixos() Text {
	t := r.keyed()
	t.Form = NixOS
	for i, s := range t.Settings {
		if m := nixPriority.FindString(s.Value); m != "" {
			v, _ := scalar(strings.Trim(s.Value[len(m):], "()"))
			t.Settings[i] = setting(s.Name, v, s.Line)
		}
	}
	for _, p := range r.pairs() {
		key := p.key[strings.LastIndexByte(p.key, '.')+1:]
		if key == "logLinePrefix" && p.quoted && !slices.ContainsFunc(t.Settings, func(s Setting) bool {
			return s.Line == p.n
		}) {
			t.Settings = append(t.Settings, setting("log_line_prefix", p.value, p.n))
		}
	}
	slices.SortStableFunc(t.Settings, func(a, b Setting) int { return a.Line - b.Line })
	return t
}

// terraform reads objects of name and value, and files within the text.
func (r *reader) terraform() Text {
	t := r.listed()
	for _, p := range r.pairs() {
		if p.block && (spelled(p.key) != "" || files[p.parent]) {
			t.Settings = append(t.Settings, setting(p.key, p.value, p.n))
		}
	}
	t.Form = Terraform
	r.cut(&t)
	return t
}

// assigned reads known parameters out of a program or a document of JSON that sets them
// with =, => or a colon: gitlab.rb, attributes of Chef, resources of Puppet.
func (r *reader) assigned() Text {
	t := Text{Form: Program}
	for _, l := range r.lines {
		s := strings.TrimSpace(l.text)
		if s == "" || comment(s) || strings.Contains(s, "sed ") {
			continue
		}
		if m := executed.FindStringSubmatch(s); m != nil {
			s = m[1]
		}
		m := codeLine.FindStringSubmatch(s)
		if m == nil || !telling(m[1]) {
			continue
		}
		t.Settings = append(t.Settings, setting(m[1], unquote(strings.TrimRight(m[2], ",;")), l.n))
	}
	return t
}

var codeLine = regex.New(
	`(?:^|[\s\["'{(])([a-z_][a-z0-9_.]*)["']?\]?["']?\s*(?::\s*\n?|=>|=)\s*(?:\{?\s*value\s*=>\s*)?` +
		`("[^"]*"|'[^']*'|\d[\d.]* (?:[kMGT]B|ms|s|min|h|d)\b|[\w.\-]+)[,;]?(?:\s|$)`)

// executed is a statement of SQL in a string of a program, as of a migration.
var executed = regex.New(`\bexecute\(?\s*["'](SET .+?);?["']\)?;?$`)
