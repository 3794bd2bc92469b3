package serverlogs

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

const (
	// DefaultLogFiles are the newest files of one format: ten days where a file is a day's.
	DefaultFiles = 10
	// DefaultLogBytes bounds all that is read, unpacked: about a second of work.
	DefaultBytes = 96 << 20
	// maxLogNames bounds the files of a directory that are examined: a year of hourly ones is 8,760.
	maxLogNames = 10_000
	// maxLists bounds current_logfiles, which has three lines at most.
	maxLists = 4096
)

// Options say what is known beforehand. The zero value is usable.
type Options struct {
	Settings pg.Settings   // of the server; nil: its configuration files are read
	Also     []string      // absolute paths of files that a person named; their rotations are found too
	Files    int           // of one format, the newest; 0: DefaultLogFiles
	Bytes    int64         // of all, unpacked; 0: DefaultLogBytes
	Newer    time.Duration // files that were last written to before that are omitted; 0: none is
	Config   string        // path of postgresql.conf; "": taken from the data directory
}

// Source is one file, or the journal of a unit, that can be read.
type Source struct {
	Path   string
	Format pglog.Format
	Packed bool      // by gzip
	Size   int64     // bytes to be read, unpacked
	Time   time.Time // of the last write
	Unit   string    // the systemd unit whose journal it is, and Path is for people; "": a file
	tail   int64     // bytes at the beginning that are omitted
	ident  string    // syslog_ident
	data   []byte    // of a journal: what journalctl wrote
	view   target.Target
}

// Logs is where a server's log is: the sources from the oldest to the newest, and what is unavailable, each with its
// reason.
type Logs struct {
	Sources []Source
	Missing []known.Gap
	Old     int    // files that were omitted for Options.Newer
	Empty   int    // files with nothing in them
	Denied  string // the first path that the rights were missing for; "": none
}

// Open opens a source with the rights of the instance's account. It is read from
// the beginning of a line on, up to its Size. What syslog wrote is given as plain lines.
func (s *Source) Open() (io.ReadCloser, error) {
	r, err := s.lines()
	switch {
	case err != nil:
		return nil, err
	case s.Unit != "":
		return &reader{pglog.FromJournal(r, s.ident), r}, nil
	case s.Format == pglog.Syslog:
		return &reader{pglog.FromSyslog(r, s.ident), r}, nil
	}
	return r, nil
}

// search is one answer in the making.
type search struct {
	t, view target.Target
	o       Options
	out     *Logs
	seen    map[string]bool
	config  string // path of postgresql.conf
	inFiles map[string]string
	socket  bool         // the standard error of the server is one, as of a unit whose messages are in the journal
	format  pglog.Format // of what is added now; "": shown by its name
	ident   string       // syslog_ident, of what is added now
}

// Find says where a server logs: what its standard error leads to, the directory of its log collector, the places of
// distributions, each with what logrotate made of it; and the journal of its unit, where its messages go there. The
// error is of trust.Files: there is no account to open the files as.
func Find(ctx context.Context, t target.Target, in *snapshot.Instance, o Options) (*Logs, error) {
	s, err := filesOf(t, in, o)
	if err != nil {
		return nil, err
	}
	if s.socket || len(s.out.Sources)+s.out.Empty+s.out.Old == 0 {
		s.journal(ctx, in)
	}
	s.bound()
	return s.out, nil
}

// Files finds the files in which a server logs, without the journal of its unit and
// without a bound on how many they are. The error is that of Find.
func Files(t target.Target, in *snapshot.Instance, o Options) ([]Source, error) {
	s, err := filesOf(t, in, o)
	if err != nil {
		return nil, err
	}
	return s.out.Sources, nil
}

func filesOf(t target.Target, in *snapshot.Instance, o Options) (*search, error) {
	view, err := trust.Files(t, in)
	if err != nil {
		return nil, err
	}
	s := &search{t: t, view: view, o: o, out: &Logs{}, seen: map[string]bool{}}
	s.o.Files, s.o.Bytes = cmp.Or(o.Files, DefaultFiles), cmp.Or(o.Bytes, DefaultBytes)
	for _, f := range o.Also {
		s.family(f)
	}
	dir, haveDir := in.DataDirectory.Get()
	s.standardError(in)
	if !haveDir {
		s.missing("log directory", in.DataDirectory.Gap().Reason, in.DataDirectory.Gap().Reveal)
		return s, nil
	}
	cluster, debian := distribution.ClusterOf(view, dir)
	s.config = cmp.Or(o.Config, cluster.Config, path.Join(dir, "postgresql.conf"))
	if strings.TrimSpace(s.setting(dir, "log_destination")) == "syslog" {
		s.syslog(s.setting(dir, "syslog_ident")) // with another destination each event is in that one's files too
	}
	s.collector(dir)
	if len(s.out.Sources) > 0 {
		return s, nil
	}
	places := usualPlaces(dir)
	if debian {
		places = append(places, cluster.Log)
	}
	for _, f := range places {
		if _, err := s.view.ReadDir(path.Dir(f)); !errors.Is(err, fs.ErrNotExist) {
			s.family(f)
		}
	}
	return s, nil
}

func (s *search) missing(what, reason, reveal string) {
	s.out.Missing = append(s.out.Missing, known.Gap{Fact: what, Reason: reason, Reveal: reveal})
}

// refused says why something that exists could not be read.
func (s *search) refused(name string, err error) {
	reason, reveal := err.Error(), "name the files"
	var p *fs.PathError
	if errors.As(err, &p) {
		reason = p.Err.Error()
	}
	if errors.Is(err, fs.ErrPermission) {
		reveal = "run pgfettle as root, or as the server's user"
		s.out.Denied = cmp.Or(s.out.Denied, name)
	}
	s.missing(name, reason, reveal)
}

// standardError follows the postmaster's standard error to a file.
func (s *search) standardError(in *snapshot.Instance) {
	pm, ok := in.Postmaster().Get()
	if !ok {
		return
	}
	at := "/proc/" + strconv.Itoa(pm.PID) + "/fd/2"
	to, err := s.t.Readlink(at)
	switch {
	case errors.Is(err, fs.ErrPermission):
		s.refused(at, err)
	case err == nil && path.IsAbs(to) && (!strings.HasPrefix(to, "/dev/") || strings.HasPrefix(to, "/dev/shm/")):
		// Below /dev are terminals and the null device, but /dev/shm holds files.
		// Renamed or removed by logrotate, it is still a name of the family.
		s.family(stem(strings.TrimSuffix(to, " (deleted)")))
	case err == nil && strings.HasPrefix(to, "socket:"):
		s.socket = true
	}
}

// setting looks up a setting: of the server, else of its files.
func (s *search) setting(dir, name string) string {
	if s.o.Settings != nil {
		v, _ := s.o.Settings.Text(name)
		return v
	}
	if s.inFiles == nil {
		s.inFiles = conf.Resolve(target.ConfigFiles{Target: s.view}, s.config, dir).Values()
	}
	return s.inFiles[name]
}

// syslog looks at the files that syslog writes on the usual distributions. They
// are the system's, by names of ours: where root alone can change the way to one it
// is opened as ourselves, else as the instance's account.
func (s *search) syslog(ident string) {
	files := *s
	files.format, files.ident = pglog.Syslog, ident
	for _, f := range []string{"/var/log/postgresql.log", "/var/log/postgresql", "/var/log/postgresql/postgresql.log",
		"/var/log/syslog", "/var/log/messages"} {
		files.view = s.view
		if way, err := s.t.Way(path.Dir(f)); err == nil && !slices.ContainsFunc(way, changeableByOthers) {
			files.view = s.t
		}
		files.family(f)
	}
}

// changeableByOthers reports whether users other than root and its groups can change the content of a directory.
func changeableByOthers(f target.Step) bool {
	return f.UID != 0 || !f.Mode.IsDir() || f.Mode.Perm()&0o002 != 0
}

// collector lists the directory that the log collector writes to.
func (s *search) collector(dir string) {
	folder := cmp.Or(s.setting(dir, "log_directory"), "log") // its default
	if !path.IsAbs(folder) {
		folder = path.Join(dir, folder)
	}
	// What the server itself notes counts before what a file says that is not loaded yet.
	folders := []string{folder}
	if b, err := s.view.ReadFile(path.Join(dir, "current_logfiles"), maxLists); err == nil {
		for line := range strings.Lines(string(b)) {
			if _, f, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				if !path.IsAbs(f) {
					f = path.Join(dir, f)
				}
				s.family(f)
				folders = append(folders, path.Dir(f))
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.refused(path.Join(dir, "current_logfiles"), err)
	}
	slices.Sort(folders)
	for _, f := range slices.Compact(folders) {
		var pattern *regexp.Regexp
		if !strings.HasPrefix(f+"/", dir+"/") { // others may log there too
			pattern = patternOf(cmp.Or(s.setting(dir, "log_filename"), "postgresql-%Y-%m-%d_%H%M%S.log"))
		}
		names, err := s.view.ReadDir(f)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				s.refused(f, err)
			}
			continue
		}
		slices.Sort(names)
		for _, n := range names[max(0, len(names)-maxLogNames):] {
			if pattern == nil || pattern.MatchString(n) {
				s.add(path.Join(f, n))
			}
		}
	}
}

// usualPlaces are where the log of a server that does not run is looked for.
func usualPlaces(dir string) []string {
	out := []string{path.Join(dir, "logfile"), path.Join(dir, "server.log"), path.Join(dir, "pgstartup.log"),
		path.Join(path.Dir(dir), "pgstartup.log")}
	// Debian where /etc/postgresql is closed or gone: /var/lib/postgresql/17/main
	if major := path.Base(path.Dir(dir)); len(major) > 0 && strings.Trim(major, "0123456789.") == "" {
		out = append(out, distribution.LogFile(major, path.Base(dir)))
	}
	return out
}

// rotated is what logrotate adds to a name: a number or a date, and its packing.
var rotated = regexp.MustCompile(`([.-]\d{1,14}([.-]\d{1,10})?)?(\.gz)?$`)

// surely is what logrotate adds also to a name without an extension: postgresql-17 and pg.16 are complete names.
var surely = regexp.MustCompile(`(\.\d|-\d{8})?(\.gz)?$`)

// stem is a name without what logrotate added.
func stem(name string) string {
	for _, re := range []*regexp.Regexp{rotated, surely} {
		s := re.ReplaceAllString(name, "")
		if base := path.Base(s); s != "" && !strings.HasSuffix(s, "/") &&
			(re == surely || strings.Contains(base, ".")) {
			return s
		}
	}
	return name
}

// patternOf makes an expression of log_filename: an escape of strftime stands for
// letters, digits and signs; csvlog and jsonlog have their own ends.
func patternOf(name string) *regexp.Regexp {
	var b strings.Builder
	base := strings.TrimSuffix(name, ".log")
	for i := 0; i < len(base); i++ {
		if base[i] == '%' && i+1 < len(base) {
			i++
			b.WriteString(`[\w+:. -]{1,40}`)
			continue
		}
		b.WriteString(regexp.QuoteMeta(base[i : i+1]))
	}
	return regexp.MustCompile(`^` + b.String() + `(\.log|\.csv|\.json)?([.-].*)?$`)
}

// family adds a file and those that logrotate made of it.
func (s *search) family(name string) {
	dir, base := path.Dir(name), path.Base(name)
	names, err := s.view.ReadDir(dir)
	if err != nil { // the directory is closed, and the file may not be
		if !s.add(name) && !errors.Is(err, fs.ErrNotExist) {
			s.refused(dir, err)
		}
		return
	}
	slices.Sort(names)
	for _, n := range names[max(0, len(names)-maxLogNames):] {
		if rest, ok := strings.CutPrefix(n, base); ok && (rest == "" || strings.ContainsAny(rest[:1], ".-")) {
			s.add(path.Join(dir, n))
		}
	}
}

// add notes a regular file; a link, a FIFO and a device are none of a server's logs.
func (s *search) add(name string) bool {
	if s.seen[name] {
		return true
	}
	s.seen[name] = true
	st, err := s.view.Lstat(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.refused(name, err)
		}
		return false
	}
	if !st.Mode.IsRegular() {
		if !st.Mode.IsDir() {
			s.missing(name, "it is no regular file, and was not opened", "name the file that is meant")
		}
		return false
	}
	if st.Size == 0 {
		s.out.Empty++
		return true
	}
	if s.o.Newer > 0 && st.Time.Before(s.t.Now().Add(-s.o.Newer)) {
		s.out.Old++
		return true
	}
	src := Source{Path: name, Format: pglog.Stderr, Size: st.Size, Time: st.Time, view: s.view, ident: s.ident,
		Packed: strings.HasSuffix(name, ".gz")}
	switch path.Ext(stem(name)) {
	case ".csv":
		src.Format = pglog.CSV
	case ".json":
		src.Format = pglog.JSON
	}
	if s.format != "" {
		src.Format = s.format
	}
	if src.Packed || st.Size > 0 {
		f, err := s.view.Open(name)
		if err != nil {
			s.refused(name, err)
			return false
		}
		defer f.Close()
		if src.Packed {
			// The end of a gzip file says how long it is unpacked; what lies is cut when it is read.
			var end [4]byte
			if _, err := f.ReadAt(end[:], max(0, st.Size-4)); err == nil {
				src.Size = max(st.Size, int64(binary.LittleEndian.Uint32(end[:])))
			}
		}
	}
	s.out.Sources = append(s.out.Sources, src)
	return true
}

// bound keeps the newest files, and puts them in their order.
func (s *search) bound() {
	slices.SortFunc(s.out.Sources, func(a, b Source) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(b.Path, a.Path))
	})
	count := map[pglog.Format]int{}
	var kept []Source
	var size, left int64
	more := 0
	for _, f := range s.out.Sources {
		room := s.o.Bytes - size
		if count[f.Format] == s.o.Files || room <= 0 {
			more++
			left += f.Size
			continue
		}
		if f.Size > room {
			if f.Packed {
				s.missing(f.Path, fmt.Sprintf("its end was left out: unpacked it has %s, and %s of all logs are read",
					unit.Bytes(f.Size), unit.Bytes(s.o.Bytes)), "name the file")
			} else {
				f.tail = f.Size - room
				s.missing(f.Path, fmt.Sprintf("its first %s were left out, beyond the newest %s of all logs",
					unit.Bytes(f.tail), unit.Bytes(s.o.Bytes)), "name the file")
			}
			f.Size = room
		}
		count[f.Format]++
		size += f.Size
		kept = append(kept, f)
	}
	slices.Reverse(kept)
	s.out.Sources = kept
	if more > 0 {
		why := fmt.Sprintf("%d files, %s of them, were left out, beyond the newest %d of a format and %s", more,
			unit.Bytes(left), s.o.Files, unit.Bytes(s.o.Bytes))
		if more == 1 {
			why = fmt.Sprintf("1 file, %s of it, was left out, beyond the newest %d of a format and %s",
				unit.Bytes(left), s.o.Files, unit.Bytes(s.o.Bytes))
		}
		s.missing("older logs", why, "name the files")
	}
	if s.out.Old > 0 {
		days := int(s.o.Newer.Hours() / 24)
		why := fmt.Sprintf("%d files were last written to more than %d days ago, and were not read", s.out.Old, days)
		if s.out.Old == 1 {
			why = fmt.Sprintf("1 file was last written to more than %d days ago, and was not read", days)
		}
		s.missing("older logs", why, "--days")
	}
}
