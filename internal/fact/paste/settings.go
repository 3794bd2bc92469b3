package paste

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// paramsByName are the parameters of all majors, the newest of a name, in lower case.
var paramsByName = sync.OnceValue(func() map[string]params.Param {
	out := map[string]params.Param{}
	for _, m := range params.Covered() {
		for _, p := range params.All(m) {
			out[strings.ToLower(p.Name)] = p
		}
	}
	return out
})

// older are settings that servers before 13 had, which a paste may hold.
var older = map[string]string{"checkpoint_segments": "", "wal_keep_segments": "", "operator_precedence_warning": "",
	"replacement_sort_tuples": "", "vacuum_cleanup_index_scale_factor": "", "promote_trigger_file": "",
	"stats_temp_directory": "",
	"max_fsm_pages":        "", "max_fsm_relations": "", "custom_variable_classes": "", "sql_inheritance": "",
	"min_parallel_relation_size": "8kB",
	"force_parallel_mode":        "", "db_user_namespace": "", "old_snapshot_threshold": "min",
	"vacuum_defer_cleanup_age": ""}

func isParam(name string) bool {
	name = strings.ToLower(name)
	if _, ok := paramsByName()[name]; ok {
		return true
	}
	_, ok := older[name]
	return ok
}

// setting makes the fact of a value as a person, SHOW or a file spells it (base ""), or as
// pg_settings has it in its base unit.
func setting(name, value, base string) Fact {
	f := Fact{Name: "setting", Of: name, Value: value}
	p, known := paramsByName()[strings.ToLower(name)]
	if known {
		f.Of = p.Name
	}
	u := base
	if u == "" && known {
		u = p.Unit
	}
	if known && p.Type == "bool" || !known {
		if on, ok := params.ParseBool(value); known && ok {
			f.Value = map[bool]string{true: "on", false: "off"}[on]
		}
		if _, old := older[strings.ToLower(name)]; old && u == "" {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				f.Value = n
			}
		}
		if known || u == "" {
			return f
		}
	}
	if known && p.Type != "integer" && p.Type != "real" {
		return f
	}
	n, err := unit.ParseGUC(value, u)
	if err != nil {
		return f
	}
	mult, mem := unit.MemoryUnit(u)
	d, isTime := unit.TimeUnit(u)
	switch {
	case n < 0 || u == "":
		f.Value = number(n)
	case mem:
		if n > maxAmount/float64(mult) {
			return f
		}
		f.Value, f.Unit = int64(n*float64(mult)), "bytes"
	case isTime:
		f.Value, f.Unit = number(n*d.Seconds()), "s"
	default:
		f.Value = number(n)
	}
	return f
}

// number is a whole number where it is one.
func number(f float64) any {
	if f == float64(int64(f)) && f > -1e15 && f < 1e15 {
		return int64(f)
	}
	return f
}

// readSettings reads SHOW ALL, pg_settings and single SHOWs, as tables of any form.
func readSettings(w *window) (f found) {
	x, ok := tableAt(w)
	if !ok {
		return
	}
	name, value := x.at("name"), x.at("setting", "current_setting", "value", "reset_val")
	if name >= 0 && value >= 0 && name != value {
		return settingRows(x, name, value)
	}
	called(x.names, w.command)
	if len(x.names) == 1 {
		return oneSetting(x)
	}
	// current_setting('a') AS a, …
	if all := slices.IndexFunc(x.names, func(n string) bool { return !isParam(n) }); all < 0 && len(x.rows) == 1 {
		for i, n := range x.names {
			f.add(setting(n, x.rows[0][i], ""))
		}
		f.n, f.kind, f.sure = x.n, Show, x.sure
	}
	return f
}

// called names the columns of current_setting('a'), current_setting('b') after what they are of.
func called(names []string, command string) {
	if slices.ContainsFunc(names, func(n string) bool { return n != "current_setting" }) {
		return
	}
	if all := reCurrent.FindAllStringSubmatch(command, len(names)+1); len(all) == len(names) {
		for i, m := range all {
			names[i] = strings.ToLower(m[1])
		}
	}
}

func settingRows(x table, name, value int) (f found) {
	uat, known := x.at("unit"), 0
	kind := PgSettings
	if x.at("description") >= 0 && uat < 0 {
		kind = ShowAll
	}
	for _, r := range x.rows {
		n := r[name]
		if n == "" || strings.ContainsAny(n, " /*`") {
			continue
		}
		if isParam(n) {
			known++
		}
		base := ""
		if uat >= 0 {
			base = r[uat]
		}
		f.add(settingOf(n, r[value], base, kind == ShowAll || uat < 0 && x.at("current_setting") >= 0))
	}
	if known == 0 || known*3 < len(x.rows) {
		return found{}
	}
	f.n, f.kind, f.sure = x.n, kind, x.sure
	return f
}

// settingOf reads a value of a row: with its unit, as SHOW has it, or in the base unit
// of pg_settings where the column of units was not asked for.
func settingOf(name, value, base string, shown bool) Fact {
	if !shown && base == "" {
		if p, ok := paramsByName()[strings.ToLower(name)]; ok && p.Unit != "" {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				base = p.Unit
			}
		}
	}
	if mult, ok := unit.MemoryUnit(base); ok && !shown {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 && n < maxAmount/int64(mult) {
			f := setting(name, "", "")
			f.Value, f.Unit = n*int64(mult), "bytes"
			return f
		}
	}
	return setting(name, value, base)
}

// oneSetting reads the answer of SHOW name, of SELECT version(), and their like.
func oneSetting(x table) (f found) {
	if len(x.rows) != 1 {
		return
	}
	v := x.rows[0][0]
	if m := reVersion.FindStringSubmatch(v); m != nil {
		f.n, f.kind, f.sure = x.n, Version, Certain
		f.add(word("server.version", "", m[1]))
		return f
	}
	if !isParam(x.names[0]) {
		return
	}
	f.n, f.kind, f.sure = x.n, Show, x.sure
	f.add(setting(x.names[0], v, ""))
	return f
}

// readVersion reads what SELECT version() and postgres --version answer.
var (
	reVersion = regex.New(
		`^PostgreSQL (\d+(?:\.\d+){0,2}(?:beta\d|rc\d|devel)?)\b(?:.{0,200}? on [\w.-]+)?, compiled by`)
	reBinary = regex.New(`^(?:postgres|postmaster) \(PostgreSQL\) (\d+(?:\.\d+){0,2})`)
	reBits   = regex.New(`^[^|:=]{0,80}, (?:32|64)-bit["')]*$`)
	// psql names the version of the server where it is another than its own
	reBanner = regex.New(`^psql \((\d+(?:\.\d+){1,2})(?: \([^()]{1,80}\))?(?:, (?:server|сервер|serveur|Server|s` +
		`ervidor) ` +
		`(\d+(?:\.\d+){1,2})(?: \([^()]{1,80}\))?)?\)$`)
	reHeadless = regex.New(`^version$`)
)

func readVersion(w *window) (f found) {
	i := 0
	if reHeadless.MatchString(w.t(0)) {
		for i = 1; i < len(w.lines) && i < 3 && (w.lines[i].is == rule || reTableRule.MatchString(w.t(i))); i++ {
		}
	}
	if m := reBanner.FindStringSubmatch(w.t(0)); m != nil {
		f.n = 1
		v := m[1]
		if m[2] != "" {
			v = m[2]
		}
		f.add(word("server.version", "", v), word("client.version", "", m[1]))
		return f
	}
	t := strings.Trim(w.t(i), `"'|* `)
	m := reVersion.FindStringSubmatch(t)
	if m == nil {
		if m = reBinary.FindStringSubmatch(t); m == nil {
			return
		}
	}
	f.n = i + 1
	if !strings.HasSuffix(t, "-bit") && reBits.MatchString(w.t(f.n)) { // a mail program folded it
		f.n++
	}
	if reRowCount.MatchString(w.t(f.n)) {
		f.n++
	}
	f.add(word("server.version", "", m[1]))
	return f
}

// readConf reads lines of postgresql.conf, with the remarks between them.
var (
	reConfLine = regex.New(`^([a-zA-Z_]\w*(?:\.\w+)?)\s*(=|\s)\s*('(?:[^']|'')*'|[^\s#'][^#]*?)\s*(?:#.*)?$`)
	reTunedFor = regex.New(`^(?:DB Version|PostgreSQL-Version): (\d{1,2}(?:\.\d)?)$`)
	reInclude  = regex.New(`^include(?:_dir|_if_exists)?\s*=?\s*'`)
	reEquals   = regex.New(`^[a-zA-Z_][\w.]*\s*=\s*(?:'|\S+\s*(?:#.*)?$)`)
)

func readConf(w *window) (f found) {
	told := strings.Contains(w.command, "postgresql.") || strings.Contains(w.command, "pg_settings") ||
		w.whole && strings.Contains(w.name, "postgresql")
	if !told && !confSetting(w.t(0), told) && !(strings.HasPrefix(w.t(0), "#") && confFollows(w)) {
		return
	}
	rows := 0
	const remarks = 300 // that stand before the first setting
	for i := range w.lines {
		t := w.t(i)
		if rows == 0 && i > remarks {
			break
		}
		switch {
		case w.lines[i].is == blank, w.lines[i].is == elided:
			continue
		case w.lines[i].is == rule && t[0] == '#', strings.HasPrefix(t, "#"):
			if !told && rows > 0 && !confFollows(&window{lines: w.lines[i:]}) {
				goto end
			}
			f.n = i + 1
			// of a program that proposes settings: what it was told of the machine
			if rest := strings.TrimLeft(t, "# "); rows == 0 || strings.HasPrefix(rest, "Total Memory (RAM)") {
				f.add(stated(rest)...)
			}
			if m := reTunedFor.FindStringSubmatch(strings.TrimLeft(t, "# ")); m != nil {
				if v, ok := versionFact(m[1]); ok {
					f.add(v)
				}
			}
			continue
		case reInclude.MatchString(t):
			f.notes = append(f.notes, "an included file is not in the input: "+short(t))
			f.n = i + 1
			continue
		case !confSetting(t, told):
			goto end
		}
		m := reConfLine.FindStringSubmatch(t)
		v := strings.TrimSpace(m[3])
		if len(v) > 1 && v[0] == '\'' && strings.HasSuffix(v, "'") {
			v = strings.ReplaceAll(v[1:len(v)-1], "''", "'")
		}
		f.add(setting(m[1], v, ""))
		f.body = append(f.body, m[1]+" = '"+strings.ReplaceAll(v, "'", "''")+"'")
		rows++
		f.n = i + 1
	}
end:
	if rows == 0 {
		return found{}
	}
	if !told || rows < 3 {
		f.sure = Likely
	}
	return f
}

func short(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}

// confSetting says whether a line sets a parameter. Without = the value must be one, as a
// sentence may begin with the name of a parameter.
func confSetting(t string, told bool) bool {
	m := reConfLine.FindStringSubmatch(t)
	if m == nil || !isParam(m[1]) && !(told && strings.Contains(m[1], ".")) {
		return false
	}
	if m[2] == "=" {
		return reEquals.MatchString(t) || m[3][0] == '\''
	}
	v := strings.Trim(m[3], "'")
	return !strings.Contains(v, " ") && (m[3][0] == '\'' || v[0] >= '0' && v[0] <= '9' || v == "on" || v == "off")
}

// confFollows says whether, behind remarks, a parameter is set, or one is a remark.
var reConfRemark = regex.New(`^#\s?([a-z_]\w*)\s*=\s*\S`)

func confFollows(w *window) bool {
	for i := 0; i < len(w.lines) && i < 30; i++ {
		t := w.t(i)
		switch {
		case t == "":
		case strings.HasPrefix(t, "#"):
			if m := reConfRemark.FindStringSubmatch(t); m != nil && isParam(m[1]) {
				return true
			}
		default:
			return confSetting(t, false)
		}
	}
	return false
}

var reHBA = regex.New(
	`^(?:local\s+\S+\s+\S+|host(?:ssl|nossl|gssenc|nogssenc)?\s+\S+\s+\S+\s+\S+(?:\s+\d[\d.]+\d)?)\s+(?:trust|re` +
		`ject|md5|scram-sha-256|password|gss|sspi|ident|peer|ldap|radius|cert|pam|bsd|oauth)` +
		`(?:\s+"?[\w-]+=(?:"[^"]*"|\S+))*(?:\s*#.*)?$`)

// hbaRule is a line without what a list of YAML has around it.
func hbaRule(t string) string {
	if item, ok := strings.CutPrefix(t, "- "); ok {
		return strings.Trim(strings.TrimSpace(item), `"'`)
	}
	return t
}

// readHBA reads lines of pg_hba.conf.
func readHBA(w *window) (f found) {
	if strings.HasPrefix(w.t(0), "#") {
		follows := false
		for i := 0; i < len(w.lines) && i < 100; i++ {
			if t := w.t(i); t != "" && !strings.HasPrefix(t, "#") {
				follows = reHBA.MatchString(t)
				break
			}
		}
		if !follows {
			return
		}
	} else if !reHBA.MatchString(hbaRule(w.t(0))) {
		return
	}
	rules := int64(0)
	for i := range w.lines {
		t := hbaRule(w.t(i))
		switch {
		case w.lines[i].is == blank:
			continue
		case strings.HasPrefix(t, "#"):
		case reHBA.MatchString(t):
			rules++
			f.add(word("hba.rule", strconv.FormatInt(rules, 10), strings.Join(strings.Fields(bare(t)), " ")))
		default:
			goto end
		}
		f.n = i + 1
	}
end:
	f.add(count("rules", "", rules))
	return f
}

func allDigits(s string) bool {
	_, ok := whole(s)
	return ok
}
