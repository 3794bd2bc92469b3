// Package database recognizes a server: its settings in each form, its control file, what it is
// started with, plans, and what was measured on it.
package database

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prose"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
	"github.com/pgfettle/pgfettle/internal/fact/paste/table"
	"github.com/pgfettle/pgfettle/internal/fact/pg/hbaline"
)

// ReadSettings reads SHOW ALL, pg_settings and single SHOWs, as tables of any form.
func ReadSettings(w *part.Window) (f part.Found) {
	x, ok := table.At(w)
	if !ok {
		return
	}
	name, value := x.Column("name"), x.Column("setting", "current_setting", "value", "reset_val")
	if name >= 0 && value >= 0 && name != value {
		return settingRows(x, name, value)
	}
	called(x.Names, w.Command)
	if len(x.Names) == 1 {
		return oneSetting(x)
	}
	// current_setting('a') AS a, …
	if all := slices.IndexFunc(x.Names, func(n string) bool { return !setting.Known(n) }); all < 0 && len(x.Rows) == 1 {
		for i, n := range x.Names {
			f.Add(setting.Of(n, x.Rows[0][i], ""))
		}
		f.N, f.Kind, f.Sure = x.N, part.Show, x.Sure
	}
	return f
}

// called names the columns of current_setting('a'), current_setting('b') after what they are of.
func called(names []string, command string) {
	if slices.ContainsFunc(names, func(n string) bool { return n != "current_setting" }) {
		return
	}
	if all := setting.Current.FindAllStringSubmatch(command, len(names)+1); len(all) == len(names) {
		for i, m := range all {
			names[i] = strings.ToLower(m[1])
		}
	}
}

func settingRows(x table.Table, name, value int) (f part.Found) {
	uat, known := x.Column("unit"), 0
	kind := part.PgSettings
	if x.Column("description") >= 0 && uat < 0 {
		kind = part.ShowAll
	}
	for _, r := range x.Rows {
		n := r[name]
		if n == "" || strings.ContainsAny(n, " /*`") {
			continue
		}
		if setting.Known(n) {
			known++
		}
		base := ""
		if uat >= 0 {
			base = r[uat]
		}
		f.Add(setting.Row(n, r[value], base, kind == part.ShowAll || uat < 0 && x.Column("current_setting") >= 0))
	}
	if known == 0 || known*3 < len(x.Rows) {
		return part.Found{}
	}
	f.N, f.Kind, f.Sure = x.N, kind, x.Sure
	return f
}

// oneSetting reads the answer of SHOW name, of SELECT version(), and their like.
func oneSetting(x table.Table) (f part.Found) {
	if len(x.Rows) != 1 {
		return
	}
	v := x.Rows[0][0]
	if m := reVersion.FindStringSubmatch(v); m != nil {
		f.N, f.Kind, f.Sure = x.N, part.Version, part.Certain
		f.Add(part.Word("server.version", "", m[1]))
		return f
	}
	if !setting.Known(x.Names[0]) {
		return
	}
	f.N, f.Kind, f.Sure = x.N, part.Show, x.Sure
	f.Add(setting.Of(x.Names[0], v, ""))
	return f
}

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

// ReadVersion reads what SELECT version() and postgres --version answer.
func ReadVersion(w *part.Window) (f part.Found) {
	i := 0
	if reHeadless.MatchString(w.Text(0)) {
		for i = 1; i < len(w.Lines) && i < 3 &&
			(w.Lines[i].Is == part.Rule || part.TableRule.MatchString(w.Text(i))); i++ {
		}
	}
	if m := reBanner.FindStringSubmatch(w.Text(0)); m != nil {
		f.N = 1
		v := m[1]
		if m[2] != "" {
			v = m[2]
		}
		f.Add(part.Word("server.version", "", v), part.Word("client.version", "", m[1]))
		return f
	}
	t := strings.Trim(w.Text(i), `"'|* `)
	m := reVersion.FindStringSubmatch(t)
	if m == nil {
		if m = reBinary.FindStringSubmatch(t); m == nil {
			return
		}
	}
	f.N = i + 1
	if !strings.HasSuffix(t, "-bit") && reBits.MatchString(w.Text(f.N)) { // a mail program folded it
		f.N++
	}
	if table.RowCount.MatchString(w.Text(f.N)) {
		f.N++
	}
	f.Add(part.Word("server.version", "", m[1]))
	return f
}

var (
	reConfLine = regex.New(`^([a-zA-Z_]\w*(?:\.\w+)?)\s*(=|\s)\s*('(?:[^']|'')*'|[^\s#'][^#]*?)\s*(?:#.*)?$`)
	reInclude  = regex.New(`^include(?:_dir|_if_exists)?\s*=?\s*'`)
	reEquals   = regex.New(`^[a-zA-Z_][\w.]*\s*=\s*(?:'|\S+\s*(?:#.*)?$)`)
)

// ReadConf reads lines of postgresql.conf, with the remarks between them.
func ReadConf(w *part.Window) (f part.Found) {
	told := strings.Contains(w.Command, "postgresql.") || strings.Contains(w.Command, "pg_settings") ||
		w.Whole && strings.Contains(w.Name, "postgresql")
	if !told && !confSetting(w.Text(0), told) && !(strings.HasPrefix(w.Text(0), "#") && confFollows(w)) {
		return
	}
	rows, proposed := 0, false
	const remarks = 300 // that stand before the first setting
	for i := range w.Lines {
		t := w.Text(i)
		if rows == 0 && i > remarks {
			break
		}
		switch {
		case w.Lines[i].Is == part.Blank, w.Lines[i].Is == part.Elided:
			continue
		case w.Lines[i].Is == part.Rule && t[0] == '#', strings.HasPrefix(t, "#"):
			if !told && rows > 0 && !confFollows(&part.Window{Lines: w.Lines[i:]}) &&
				!(i == f.N && w.Lines[i].Depth() >= setInRemark) {
				goto end
			}
			f.N = i + 1
			// of a program that proposes settings: what it was told of the machine
			proposed = tunedFor(&f, strings.TrimLeft(t, "# "), rows == 0) && rows == 0 || proposed
			continue
		case reInclude.MatchString(t):
			f.Notes = append(f.Notes, "an included file is not in the input: "+short(t))
			f.N = i + 1
			continue
		case !confSetting(t, told):
			goto end
		}
		m := reConfLine.FindStringSubmatch(t)
		v := strings.TrimSpace(m[3])
		if len(v) > 1 && v[0] == '\'' && strings.HasSuffix(v, "'") {
			v = strings.ReplaceAll(v[1:len(v)-1], "''", "'")
		}
		f.Add(setting.Of(m[1], v, ""))
		f.Body = append(f.Body, m[1]+" = '"+strings.ReplaceAll(v, "'", "''")+"'")
		proposed = proposed && proposable[m[1]]
		rows++
		f.N = i + 1
	}
end:
	if rows == 0 {
		return part.Found{}
	}
	if !told || rows < 3 {
		f.Sure = part.Likely
	}
	if f.Planned = proposed && !told; f.Planned {
		f.Notes = append(f.Notes, ofProgram)
	}
	return f
}

// setInRemark is how far a remark is set in at least that goes on with the one behind the value above it.
const setInRemark = 16

const ofProgram = "a program proposes these values; the input does not show whether they are in effect"

var (
	reTunedFor   = regex.New(`^(?:DB Version|PostgreSQL-Version): (\d{1,2}(?:\.\d)?)$`)
	reProposedBy = regex.New(`(?i)^(?:Total Memory \(RAM\)|DB Type:|Data Storage:|(?:generated|created|calculated|` +
		`tuned) ` +
		`(?:by|with|using) (?:pgtune|pgconfig|timescaledb-tune|cybertec|postgresql configurator))`)
	// proposable are the parameters that such programs propose: with another it is a file that a person has
	proposable = map[string]bool{}
)

func init() {
	for _, n := range strings.Fields(`max_connections shared_buffers effective_cache_size maintenance_work_mem ` +
		`checkpoint_completion_target wal_buffers default_statistics_target random_page_cost ` +
		`effective_io_concurrency work_mem huge_pages min_wal_size max_wal_size max_worker_processes ` +
		`max_parallel_workers_per_gather max_parallel_workers max_parallel_maintenance_workers wal_level ` +
		`max_wal_senders checkpoint_segments checkpoint_timeout io_method io_workers jit wal_compression ` +
		`autovacuum_work_mem seq_page_cost temp_buffers max_locks_per_transaction`) {
		proposable[n] = true
	}
}

// tunedFor adds what a program that proposes settings was told of the machine, in a line for each or in one with bars,
// and says whether it is such a line.
func tunedFor(f *part.Found, t string, first bool) bool {
	proposed := false
	for s := range strings.SplitSeq(t, "|") {
		s = strings.TrimSpace(s)
		if first || strings.HasPrefix(s, "Total Memory (RAM)") {
			f.Add(prose.Stated(s)...)
		}
		if m := reTunedFor.FindStringSubmatch(s); m != nil {
			proposed = true
			if v, ok := setting.Version(m[1]); ok {
				f.Add(v)
			}
		}
		proposed = proposed || reProposedBy.MatchString(s)
	}
	return proposed
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
	if m == nil || !setting.Known(m[1]) && !(told && strings.Contains(m[1], ".")) {
		return false
	}
	if m[2] == "=" {
		return reEquals.MatchString(t) || m[3][0] == '\''
	}
	v := strings.Trim(m[3], "'")
	return !strings.Contains(v, " ") && (m[3][0] == '\'' || v[0] >= '0' && v[0] <= '9' || v == "on" || v == "off")
}

var reConfRemark = regex.New(`^#\s?([a-z_]\w*)\s*=\s*\S`)

// confFollows says whether, behind remarks, a parameter is set, or one is a remark.
func confFollows(w *part.Window) bool {
	for i := 0; i < len(w.Lines) && i < 30; i++ {
		t := w.Text(i)
		switch {
		case t == "":
		case strings.HasPrefix(t, "#"):
			if m := reConfRemark.FindStringSubmatch(t); m != nil && setting.Known(m[1]) {
				return true
			}
		default:
			return confSetting(t, false)
		}
	}
	return false
}

// ReadHBA reads lines of pg_hba.conf.
func ReadHBA(w *part.Window) (f part.Found) {
	if strings.HasPrefix(w.Text(0), "#") {
		follows := false
		for i := 0; i < len(w.Lines) && i < 100; i++ {
			if t := w.Text(i); t != "" && !strings.HasPrefix(t, "#") {
				follows = hbaline.Is(t)
				break
			}
		}
		if !follows {
			return
		}
	} else if !hbaline.Is(hbaline.Bare(w.Text(0))) {
		return
	}
	rules := int64(0)
	for i := range w.Lines {
		t := hbaline.Bare(w.Text(i))
		switch {
		case w.Lines[i].Is == part.Blank:
			continue
		case strings.HasPrefix(t, "#"):
		case hbaline.Is(t):
			rules++
			f.Add(part.Word("hba.rule", strconv.FormatInt(rules, 10), strings.Join(strings.Fields(part.Bare(t)), " ")))
		default:
			goto end
		}
		f.N = i + 1
	}
end:
	f.Add(part.Count("rules", "", rules))
	return f
}
