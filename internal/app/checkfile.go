package app

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conftext"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
)

// FileMajor says which major version of PostgreSQL a file is judged for.
type FileMajor struct {
	Given int    // 0: that of the data directory that the file belongs to, else the newest
	From  string // what gave it if not --pg
}

// CheckFile judges a configuration file with all that it includes, without a server. host is the machine that it is
// for; nil: that is not known. from says what gave the major version: "--pg", m.From, "PG_VERSION", "file", "oldest" or
// "newest"; "" if none matters.
func (h *Host) CheckFile(file string, host *snapshot.Snapshot, m FileMajor) (r conffile.Report, from string,
	err error) {
	main, err := h.confMain(file)
	if err != nil {
		return r, "", err
	}
	view, err := trust.Named(h.Target, main)
	if err != nil {
		return r, "", err
	}
	files := target.AsConfigFiles(view)
	here, _ := filepath.Abs(".")
	show := func(p string) string { return shorter(here, p) }
	text, err := fs.ReadFile(files, strings.TrimPrefix(main, "/"))
	if err != nil {
		return r, "", say.Named("--conf", err)
	}
	form, told := conffile.Recognize(text)
	several := inPortions(main, text, form, told)
	if several != nil {
		told = several.told
		form = conffile.Form(told.Form)
	}
	switch {
	case form == conffile.HBA:
		return r, "", say.Usage(say.M("cannot check {file} with --conf: it is a pg_hba.conf", "file", say.Quoted(file)),
			say.M("Check it together with its server: pgfettle check"))
	case others[told.Form] != "" && form == conffile.Form(told.Form):
		return r, "", say.Usage(say.M("cannot check {file} with --conf: it is {others}", "file", say.Quoted(file),
			"others", others[told.Form]),
			say.M("Name a postgresql.conf, or a text that contains server settings."))
	case conffile.Foreign(form):
		return conffile.JudgeForeign(form, main, text, show, host, checks.All()), "", nil
	}
	major := m.Given
	if major != 0 && !params.Covers(major) {
		return r, "", say.Usage(say.M("invalid value for --pg: {major}", "major", fmt.Sprint(major)),
			say.M("Use one of: {knownMajors}.", "knownMajors", majorsOf(params.Covered())))
	}
	if told.Form != conftext.Plain && told.Form != conftext.Recovery || len(told.Settings) > 0 {
		major, from = fileMajor(m, told.Named)
		told.Named.Older = from == "oldest"
		on, machine := host, ""
		if host == nil {
			on, machine = h.told(told.Named, major)
		}
		r = conffile.JudgeText(told, main, major, show, on, machine != "", checks.All())
		r.Machine = machine
		if several != nil {
			judgePortions(&r, several, main, show, on)
		}
		return r, from, nil
	}
	resolved := conf.Resolve(files, main, "")
	if told.Form == conftext.Plain && (!conffile.Configures(resolved) || told.Tables) {
		return r, "", say.Usage(say.M("cannot check {file} with --conf: no server setting was found in it", "file",
			say.Quoted(file)), say.M("Name a postgresql.conf, or a text that contains server settings."))
	}
	dir := confDataDir(view, main, resolved)
	if dir != "" && path.Base(main) != conf.AutoFile {
		resolved = conf.Resolve(files, main, dir)
	}
	if at := clusterMajor(view, dir); major == 0 && params.Covers(at) {
		major, from = at, "PG_VERSION"
	} else {
		major, from = fileMajor(m, told.Named)
	}
	on, machine := host, ""
	if host == nil {
		on, machine = h.told(told.Named, major)
	}
	r = conffile.JudgePlain(resolved, told, main, major, show, on, machine != "", checks.All())
	r.Machine = machine
	return r, from, nil
}

// others are files of programs other than the server, as a sentence names them.
var others = map[conftext.Form]string{
	conftext.PgBouncer: "a PgBouncer configuration (pgbouncer.ini)", conftext.Pgpool: "a Pgpool-II configuration " +
		"(pgpool.conf)",
	conftext.PgBackups: "a pgBackRest configuration", conftext.MySQL: "a MySQL or MariaDB configuration (my.cnf)",
	conftext.HBA: "a pg_hba.conf",
}

// fileMajor is the version that a file without a data directory is judged for: the one
// that was asked for, else the one that the text names, or the oldest known one if that is older, else the newest.
func fileMajor(m FileMajor, named conftext.Named) (major int, from string) {
	switch {
	case m.Given != 0 && m.From != "":
		return m.Given, m.From
	case m.Given != 0:
		return m.Given, "--pg"
	}
	head, _, _ := strings.Cut(named.Version, ".")
	if n, err := strconv.Atoi(head); err == nil && params.Covers(n) {
		return n, "file"
	}
	if n, err := strconv.Atoi(head); err == nil && n < params.Majors()[0] {
		return params.Majors()[0], "oldest"
	}
	return params.Newest(), "newest"
}

// told is the machine that a text names, and its description as from --for; nil if the text does not name one that can
// be described.
func (h *Host) told(n conftext.Named, major int) (*snapshot.Snapshot, string) {
	if n.RAM == 0 {
		return nil, ""
	}
	// Huge pages have a separate limit.
	words := []string{"ram=" + strconv.FormatUint((n.RAM+n.Huge)>>20, 10) + "MB"}
	if n.CPUs > 0 {
		words = append(words, "cpus="+strconv.Itoa(n.CPUs))
	}
	if n.Storage != "" {
		words = append(words, "storage="+n.Storage)
	}
	spec := strings.Join(words, ",")
	s, err := h.Describe(spec + ",pg=" + strconv.Itoa(major))
	if err != nil {
		return nil, "" // too small or too large for a server
	}
	s.Snapshot.Host.HugePages = known.Missed[[]host.Pool](known.Gap{Fact: "huge page pool",
		Reason: "the text does not name it"})
	if n.Huge > 0 && n.HugePage > 0 {
		s.Snapshot.Host.HugePages = known.Is([]host.Pool{{Size: unit.Bytes(n.HugePage),
			Total: int64(n.Huge / n.HugePage)}})
	}
	return s.Snapshot, spec
}

// confMain returns the absolute path of a file that is there and can be read.
func (h *Host) confMain(name string) (string, error) {
	main, err := filepath.Abs(name)
	if err != nil {
		return "", say.Named("--conf", err)
	}
	st, err := h.Target.Stat(main)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", say.Usage(say.M("--conf: file {name} does not exist", "name", say.Quoted(name)),
			say.M("Name a postgresql.conf."))
	case errors.Is(err, fs.ErrPermission):
		return "", &say.Problem{Message: say.M("--conf: could not open {name}: permission denied", "name",
			say.Quoted(name)),
			Hint: say.M("Run pgfettle as root or as the owner of the file."), Code: say.CodeNoAccess}
	case err != nil:
		return "", say.Named("--conf", err)
	case !st.Mode.IsRegular():
		return "", say.Usage(say.M("--conf: {name} is not a regular file", "name", say.Quoted(name)),
			say.M("Name a postgresql.conf."))
	}
	if _, err := fs.ReadFile(target.AsConfigFiles(h.Target), strings.TrimPrefix(main, "/")); err != nil {
		code, hint := say.CodeError, say.Message{}
		switch {
		case errors.Is(err, fs.ErrPermission):
			code, hint = say.CodeNoAccess, say.M("Run pgfettle as root or as the owner of the file.")
		case errors.Is(err, target.ErrTooLarge):
			hint = say.M("Name a postgresql.conf; it is smaller than 1 MB.")
		}
		return "", &say.Problem{Message: say.M("--conf: {error}", "error", err), Hint: hint, Code: code}
	}
	return main, nil
}

// confDataDir returns the data directory that a file belongs to, whose postgresql.auto.conf the server reads last: the
// directory that the file is in, or the one that it names, where that is a data directory. "" for neither: a file in a
// repository.
func confDataDir(view target.Target, main string, r conf.Resolved) string {
	dirs := []string{path.Dir(main)}
	if s, ok := r.Winner("data_directory"); ok && path.IsAbs(s.Value) {
		dirs = append(dirs, path.Clean(s.Value))
	}
	for i, d := range dirs {
		if _, err := view.Stat(path.Join(d, "PG_VERSION")); err == nil {
			return d
		}
		if _, err := view.Stat(path.Join(d, conf.AutoFile)); err == nil && i == 0 {
			return d // copied without the rest
		}
	}
	return ""
}

// clusterMajor reads PG_VERSION; 0 if there is none.
func clusterMajor(view target.Target, dir string) int {
	if dir == "" {
		return 0
	}
	b, err := view.ReadFile(path.Join(dir, "PG_VERSION"), 64) // it holds one short number
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return n
}

// shorter spells a path from the working directory if it is below it, which is what a code host makes links of.
func shorter(here, p string) string {
	if rel, err := filepath.Rel(here, p); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
		return rel
	}
	return p
}
