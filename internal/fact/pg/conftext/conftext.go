// Package conftext reads settings of a server, and of the kernel and the services
// below it, out of texts that are no configuration file as their program reads it:
// what a person pasted of a postgresql.conf, lists of ALTER SYSTEM, command lines,
// compose files, manifests of operators, parameter lists of cloud services, tables of
// pg_settings. It says which form it took a text for, on which line each setting
// stands, and what it did not understand. It is pure: a text in, facts out.
package conftext

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
)

// Form says what a text is.
type Form string

// The forms whose settings are the server's. Plain is what the server itself reads,
// and what a text is that shows no sign of another form.
const (
	Plain       Form = "postgresql.conf"
	Pasted      Form = "postgresql.conf pasted"
	Recovery    Form = "recovery.conf"
	AlterSystem Form = "ALTER SYSTEM"
	CommandLine Form = "command line"
	Compose     Form = "docker compose"
	Gpconfig    Form = "gpconfig"
	Patroni     Form = "Patroni"
	CNPG        Form = "CloudNativePG"
	Zalando     Form = "Zalando postgres-operator"
	Crunchy     Form = "Crunchy Postgres for Kubernetes"
	Percona     Form = "Percona Operator for PostgreSQL"
	StackGres   Form = "StackGres"
	KubeBlocks  Form = "KubeBlocks"
	Manifest    Form = "Kubernetes manifest"
	Helm        Form = "Helm values"
	YAML        Form = "YAML"
	JSON        Form = "JSON"
	Terraform   Form = "Terraform"
	NixOS       Form = "NixOS"
	List        Form = "list of parameters"
	Program     Form = "text of another program"
	ShowAll     Form = "SHOW ALL"
	PgSettings  Form = "pg_settings"
)

// File says whether a text of a form sets parameters as a file of the server does, and not on its command line, which
// may name the file.
func File(f Form) bool {
	switch f {
	case Plain, Recovery, AlterSystem, Patroni, Zalando, CNPG, Crunchy:
		return true
	}
	return false
}

// The forms of files that lie beside the server's configuration and hold none of it.
const (
	HBA       Form = "pg_hba.conf"
	Ident     Form = "pg_ident.conf"
	PgBouncer Form = "pgbouncer.ini"
	Pgpool    Form = "pgpool.conf"
	PgBackups Form = "pgbackrest.conf"
	Service   Form = "pg_service.conf"
	MySQL     Form = "my.cnf"
	ServerLog Form = "server log"
)

// Setting is one parameter with the value that the text has for it.
type Setting struct {
	Name     string // lower case; as spelled where it is the kernel's
	Value    string // unquoted
	Line     int    // from 1: where the name stands
	Template bool   // a template fills the value in: it is not known
	Shown    bool   // what a server shows, not what a person wrote
	Default  bool   // shown, and its source is the default
	Refused  string // the line, if the server's grammar has another value, or none
	Server   string // which of several servers of the text it is for; "" where there is one
}

// Named is what a text says of the server and the machine that it is for; zero values
// where it says nothing.
type Named struct {
	Version     string // as written: "14", "9.6", "11.1"
	VersionLine int
	Older       bool   // it is older than any that a text is judged for
	RAM         uint64 // bytes
	RAMLine     int
	CPUs        int
	Storage     string // ssd, hdd, san
	Limit       bool   // RAM is the limit of a container
	Huge        uint64 // bytes of huge pages that the container may have besides
	HugePage    uint64 // the size of one of them
	Windows     bool   // the server runs on it
	WindowsLine int
	Managed     string // the service that runs the server, and sets its parameters in its own way
}

// Text is what was read.
type Text struct {
	Form     Form
	Settings []Setting // in the order of the text
	Includes []string  // files that it includes and that are not there
	Named    Named
	Unread   Unread
	Rules    []Rule // lines of pg_hba.conf among them
	// Reload is the line of pg_reload_conf() in statements of which none speaks of a restart; 0 for none
	Reload int
	// Tables says that the text sets parameters of tables or indexes, which are none of the server's
	Tables bool

	headed bool // a table whose columns have names
}

// Unread are lines that were seen and not understood.
type Unread struct {
	Lines int
	First int    // from 1; 0 for none
	Text  string // the first one, cut
}

func (u *Unread) add(n int, text string) {
	if u.Lines++; u.First == 0 || n < u.First {
		u.First, u.Text = n, clip(text)
	}
}

// Bounds: a text is a person's, and nobody writes more. What is past them is not read.
const (
	maxText     = 4 << 20 // bytes
	maxSettings = 20000
	maxLine     = 16 << 10 // of a line; the rest of it is not looked at
	shownLine   = 120      // of a line that is told
)

// fencesOf numbers the fences of a text, by line: from one, negative outside; nothing where it has none.
func fencesOf(lines []line) map[int]int {
	out := map[int]int{}
	n, fenced := 0, beginsFenced(lines)
	for _, l := range lines {
		if fence.MatchString(strings.TrimSpace(l.text)) {
			n, fenced = n+1, !fenced
		}
		if out[l.n] = -1; fenced {
			out[l.n] = n + 1
		}
	}
	if n == 0 {
		return nil
	}
	return out
}

func clip(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > shownLine {
		s = strings.ToValidUTF8(s[:shownLine], "") + "…"
	}
	return s
}

// line is a line of the text with its number, without its end.
type line struct {
	n    int
	text string
}

// split takes a text apart; what the carriage of a text leaves at its lines (a byte
// order mark, carriage returns, no-break spaces) is taken off.
func split(text string) []line {
	text = strings.TrimPrefix(text[:min(len(text), maxText)], bom)
	var out []line
	for len(text) > 0 {
		l, rest, _ := strings.Cut(text, "\n")
		l = strings.TrimRight(l[:min(len(l), maxLine)], "\r")
		if strings.Contains(l, "\u00a0") {
			l = strings.ReplaceAll(l, "\u00a0", " ")
		}
		out = append(out, line{len(out) + 1, l})
		text = rest
	}
	return out
}

const bom = "\ufeff"

// Read reads a text. Of several forms that it may have, the one is taken that gives
// the most settings, the more particular one before the more general. What a text was
// pasted in is taken off where that gives more of them: the server's own grammar comes first.
func Read(text string) Text {
	t := outermost(text)
	t.Rules = rulesIn(split(text))
	switch t.Form {
	case Pasted:
		lines := split(text)
		t.Settings = alternatives(lines, withoutOld(lines, t.Settings), true)
	case AlterSystem, YAML:
		t.Settings = alternatives(split(text), t.Settings, t.Form == YAML)
	}
	return t
}

// outermost reads a text with or without what it was pasted in.
func outermost(text string) Text {
	fences := fencesOf(split(text))
	t, clean := read(text, false, fences)
	in := around.Text([]byte(text[:min(len(text), maxText)]))
	// In these the server's grammar finds names and values that nobody meant.
	other := slices.ContainsFunc(in.Layers, func(l unwrap.Layer) bool {
		return l == unwrap.Page || l == unwrap.Entities || l == unwrap.Printable || l == unwrap.Returns
	})
	if len(in.Layers) == 0 || clean && !other {
		return t
	}
	within := map[int]int{} // in the numbers of what is inside
	for i, l := range in.Lines {
		within[i+1] = fences[l.Number]
	}
	inner, _ := read(in.String(), true, within)
	got, had := count(inner.Settings), count(t.Settings)
	if clean {
		had = 0
	}
	lax := t.Form == Plain || t.Form == Pasted
	if got > had || got == had && got > 0 && (lax || other) || slices.Contains(in.Layers, unwrap.Diff) {
		inner.at(in.Lines)
		return inner
	}
	return t
}

// Within is Read for what is left of a text without the files of other programs: no server reads it as it is, even if
// it has the grammar of a postgresql.conf.
func Within(text string) Text {
	t := Read(text)
	if t.Form == Plain && len(t.Settings) == 0 {
		t, _ = read(text, true, nil)
	}
	return t
}

// at puts the numbers that lines have in the text for those that they have in what is inside.
func (t *Text) at(lines []unwrap.Line) {
	of := func(n int) int {
		if n < 1 || n > len(lines) {
			return n
		}
		return lines[n-1].Number
	}
	for i := range t.Settings {
		t.Settings[i].Line = of(t.Settings[i].Line)
	}
	t.Unread.First = of(t.Unread.First)
	t.Named.VersionLine, t.Named.RAMLine = of(t.Named.VersionLine), of(t.Named.RAMLine)
	t.Named.WindowsLine, t.Reload = of(t.Named.WindowsLine), of(t.Reload)
}

// read reads a text as it is. clean says that the server reads it so; carried, that it was taken out of another;
// fences, which fence each line stood in.
func read(text string, carried bool, fences map[int]int) (t Text, clean bool) {
	bare := withoutStorage(text)
	tables := bare != text
	text, plan := planned(bare)
	r := &reader{text: text, lines: split(text), carried: carried || plan, fences: fences}
	r.signs()
	t, clean = r.form()
	if !clean && len(t.Settings) == 0 && t.Form == Plain {
		if bare, ok := tableInRemarks(r.lines); ok {
			return read(bare, true, nil)
		}
	}
	t.Tables = tables
	if len(t.Settings) > maxSettings {
		t.Settings = t.Settings[:maxSettings]
	}
	t.Named = r.named(t)
	return t, clean
}

// around is what settings may be pasted in. A setting that stands in a comment is not in force.
var around = &unwrap.Reader{Sign: sign, Own: []unwrap.Layer{unwrap.Comment, unwrap.Times}}

// namedIn is a name with what parts it from its value, wherever it is in a line.
var namedIn = regex.New(`([A-Za-z_][\w.]{2,62})["'\x60]?\s*(?:=|:|\bTO\b|\bto\b)|,"?([A-Za-z_][\w.]{2,62})"?,`)

// sign says whether a line has a setting anywhere.
func sign(l []byte) bool {
	const most = 1024
	text := strings.ReplaceAll(string(l[:min(len(l), most)]), `\n`, "\n")
	for _, m := range namedIn.FindAllStringSubmatch(text, 8) {
		if n := strings.ToLower(m[1] + m[2]); telling(n) || strings.HasPrefix(n, "p") && spelled(n) != "" {
			return true
		}
	}
	return false
}

// reader is one reading of a text.
type reader struct {
	text  string
	lines []line
	sign  signs
	yaml  []pair // of the scan for keys and values, once
	// the text was taken out of another: the server does not read it as it is
	carried bool
	fences  map[int]int  // which fence a line stood in, negative for none; empty where the text has no fences
	rows    map[int]bool // lines of a table whose settings are taken besides those of the rest of the text
	diffed  bool         // lines of the output of diff are in it, with those that it takes out
}

// parameter says whether a name is one that PostgreSQL, a module that comes with it or
// a product made from it has.
func parameter(name string) bool {
	if len(name) < 3 || len(name) > 63 {
		return false
	}
	if params.Known(name) {
		return true
	}
	_, ok := params.ForkOf(name)
	return ok
}

// telling says whether a name alone tells that settings of the server are meant: port,
// role or ssl do not.
func telling(name string) bool { return strings.ContainsAny(name, "_.") && parameter(name) }

// spelled returns the name of a parameter that a program spells in its own way:
// maxConnections, POSTGRESQL_WORK_MEM, shared-buffers; "" where it is none.
func spelled(key string) string {
	low := strings.ToLower(strings.ReplaceAll(key, "-", "_"))
	if parameter(low) {
		return low
	}
	if low == key && low == "postgresql_port" { // of a role of Ansible
		return "port"
	}
	for _, p := range []string{"patroni_postgresql_parameters_", "postgresql_conf_", "postgresql_config_",
		"postgresql_", "postgres_", "pg_", "db_"} {
		if rest, ok := strings.CutPrefix(low, p); ok && telling(rest) {
			return rest
		}
	}
	if strings.ToLower(key) != key && !strings.Contains(key, "_") {
		var b strings.Builder
		for i, c := range key {
			if c >= 'A' && c <= 'Z' {
				if i > 0 {
					b.WriteByte('_')
				}
				c += 'a' - 'A'
			}
			b.WriteRune(c)
		}
		if s := b.String(); telling(s) {
			return s
		}
	}
	return ""
}

// count is how many of the settings have a name that tells what they are.
func count(list []Setting) int {
	n := 0
	for _, s := range list {
		if (telling(s.Name) || parameter(s.Name)) && s.Name != "config_file" { // of the command line alone
			n++
		}
	}
	return n
}

// ident says whether a text could be the name of a parameter.
func ident(s string) bool {
	if s == "" || len(s) > 63 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return true
}

// reference is a value of CloudFormation or Terraform that stands elsewhere.
var reference = regex.New(`^!(Ref|Sub|GetAtt|FindInMap|If|Join|Select|ImportValue)\b` +
	`|(^|\()(var|local|each|module\.\w+|data\.\w+\.\w+)\.[A-Za-z_]\w*`)

// template says whether a template or a program fills a value in, and returns what
// stands there if it does not: ${NAME:-256MB} has a value of its own.
func template(v string) (string, bool) {
	if strings.HasPrefix(v, "${") && strings.HasSuffix(v, "}") {
		if _, def, ok := strings.Cut(v, ":-"); ok && !strings.Contains(def, "$") {
			return strings.TrimSuffix(def, "}"), false
		}
	}
	for _, mark := range []string{"{{", "{%", "<%", "${", "$(", "{DBInstance", "{AllocatedStorage"} {
		if strings.Contains(v, mark) {
			return v, true
		}
	}
	if reference.MatchString(v) {
		return v, true
	}
	if strings.HasPrefix(v, "$") && len(v) > 1 && ident(strings.TrimPrefix(v[1:], "{")) {
		return v, true
	}
	return v, false
}

// setting makes a setting of a name and a value as they stand there.
func setting(name, value string, n int) Setting {
	v, filled := template(value)
	return Setting{Name: strings.ToLower(name), Value: v, Line: n, Template: filled}
}
