package collect

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// stopped is what is gathered of one instance whose server does not run.
type stopped struct {
	in      *instance
	cluster string   // what PG_VERSION says
	major   int      // the same as a number; 0: not known
	opts    []string // the command line of its last start, as postmaster.opts has it
	conf    conf.Resolved
	config  pg.StartConfig
	control pg.StartControl
	program *pg.StartProgram
	folders string            // unix_socket_directories that the program was built with; "": not known
	set     map[string]string // the settings that would hold, in the base unit
}

// offline collects what the files of an instance that is not running show: its settings, and what its server would find
// at the next start. All of it is read with the rights of its account; if only memory is asked for, no program runs.
func (c *collector) offline(ctx context.Context, in *instance) {
	if in.pid != 0 || in.unsure {
		return
	}
	if in.neighbour { // of which only the settings count
		ok, _ := c.req.Owners.Counts(c.t, in.account, in.dataDir)
		if _, shut := in.view.(closed); ok && !shut && in.account.UID > 0 {
			s := &stopped{in: in}
			s.readVersion()
			s.opts = splitOpts(text(in.view, path.Join(in.dataDir, "postmaster.opts")))
			c.findConfig(s)
			c.settingsOf(s)
		}
		return
	}
	s := &stopped{in: in}
	c.document(in, pg.StartDataDirPart, func() any { return c.dataDirAccess(in) })
	if in.closed { // nothing in it is read
		c.unreadable(in, "start_configuration",
			"others may write the data directory, or its owner is unknown: nothing in it is read")
		return
	}
	s.readVersion()
	s.opts = splitOpts(text(in.view, path.Join(in.dataDir, "postmaster.opts")))
	c.findConfig(s)
	s.readControl(c)
	if !c.req.Memory {
		c.safely(in.name(pg.StartProgramPart), func() { c.askProgram(ctx, s) })
	}
	if s.config.File != "" {
		c.json(pg.Path(in.key, pg.StartConfigPart), s.config)
	}
	if s.program != nil {
		c.json(pg.Path(in.key, pg.StartProgramPart), s.program)
		if s.program.Version.Major() == s.major {
			in.binDir = path.Dir(s.program.Path)
		}
	}
	c.settingsOf(s)
	if c.req.Memory {
		return
	}
	c.document(in, pg.StartLockPart, func() any { return c.lockFile(in) })
	c.document(in, pg.StartSocketsPart, func() any { return c.wouldListen(s) })
	c.document(in, pg.StartFoldersPart, func() any { return c.startFolders(in) })
	c.document(in, pg.StartShmPart, func() any { return startFolder(in, "shm", sharedMemory) })
}

// document writes one document on a stopped instance; what is nil could not be known.
func (c *collector) document(in *instance, part string, read func() any) {
	c.safely(pg.Path(in.key, part), func() {
		if v := read(); v != nil {
			c.json(pg.Path(in.key, part), v)
		}
	})
}

func (c *collector) unreadable(in *instance, part, reason string) {
	c.a.AddMissing(evidence.Missing{Name: pg.Path(in.key, part), State: known.Unread, Reason: reason})
}

func (s *stopped) readVersion() {
	line, _, _ := strings.Cut(text(s.in.view, path.Join(s.in.dataDir, "PG_VERSION")), "\n")
	if s.cluster = strings.TrimSpace(line); len(s.cluster) > len("100.10") {
		s.cluster = ""
	}
	n, err := strconv.Atoi(s.cluster)
	if err == nil && n > 0 && n < 1000 {
		s.major = n
	}
}

var optsWord = regexp.MustCompile(`"([^"]*)"|(\S+)`)

// splitOpts takes postmaster.opts apart: the program, then each argument in
// double quotes.
func splitOpts(line string) []string {
	line, _, _ = strings.Cut(line, "\n")
	var out []string
	for _, m := range optsWord.FindAllStringSubmatch(line, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// findConfig finds postgresql.conf and reads what the server would read.
func (c *collector) findConfig(s *stopped) {
	in := s.in
	main := mainConfig(in, s.opts)
	s.conf = conf.Resolve(target.ConfigFiles{Target: in.view}, main, in.dataDir)
	s.config = pg.StartConfig{File: main, Files: append([]string{}, s.conf.Files...), Faults: []pg.ConfigFault{}}
	for _, f := range s.conf.Faults {
		s.config.Faults = append(s.config.Faults, pg.ConfigFault{File: f.File, Line: f.Line, Reason: f.Reason})
	}
}

// mainConfig is the path of postgresql.conf: as the last start named it, in the data directory,
// or where Debian keeps it.
func mainConfig(in *instance, opts []string) string {
	candidates := []string{option(opts, 0, "config_file"), path.Join(in.dataDir, "postgresql.conf"), in.config}
	if v, name := path.Base(path.Dir(in.dataDir)),
		path.Base(in.dataDir); path.Dir(path.Dir(in.dataDir)) == "/var/lib/postgresql" {
		candidates = append(candidates, path.Join("/etc/postgresql", v, name, "postgresql.conf"))
	}
	for _, f := range candidates {
		if !path.IsAbs(f) {
			continue
		}
		if _, err := in.view.Lstat(f); err == nil {
			return f
		}
	}
	return candidates[1]
}

// readControl reads global/pg_control.
func (s *stopped) readControl(c *collector) {
	name := pg.Path(s.in.key, pg.StartControlPart)
	b, err := s.in.view.ReadFile(path.Join(s.in.dataDir, "global/pg_control"), pg.ControlFileSize)
	if err != nil {
		c.miss(name, err, asOwner)
		return
	}
	f, err := pg.ParseControlFile(b)
	if err != nil {
		c.a.AddMissing(evidence.Missing{Name: name, State: known.Unread, Reason: err.Error()})
		return
	}
	s.control = pg.StartControl{State: f.State.String(), System: strconv.FormatUint(f.System, 10),
		Clean: f.State.Clean(), Segment: unit.Bytes(f.Segment)}
	if f.Segment > 0 {
		s.control.Checksums = &f.Checksums
	}
	c.json(name, s.control)
}

// settingsOf writes settings.json: what the server would start with, as far as its files show. If one of them could not
// be read at all, nothing is written.
func (c *collector) settingsOf(s *stopped) {
	in := s.in
	name := pg.Path(in.key, "settings")
	switch {
	case s.major == 0:
		c.unreadable(in, "settings", "PG_VERSION could not be read")
		return
	case len(s.conf.Files) == 0:
		c.unreadable(in, "settings", "the configuration files could not be read")
		return
	case len(params.All(s.major)) == 0:
		c.unreadable(in, "settings", "the parameters of PostgreSQL "+strconv.Itoa(s.major)+" are not known")
		return
	}
	given := map[string]string{"data_directory": in.dataDir, "config_file": s.config.File,
		"server_version_num": strconv.Itoa(s.major * 10000)}
	if s.control.Segment > 0 {
		given["wal_segment_size"] = strconv.FormatInt(int64(s.control.Segment), 10)
		given["data_checksums"] = map[bool]string{true: "on", false: "off"}[*s.control.Checksums]
	}
	if s.folders != "" {
		if _, set := s.conf.Winner("unix_socket_directories"); !set {
			given["unix_socket_directories"] = s.folders
		}
	}
	if p := s.program; p != nil && p.Version.Major() == s.major {
		given["server_version_num"] = strconv.Itoa(int(p.Version))
		if s.major >= 15 && p.Shared > 0 {
			given["shared_memory_size"] = strconv.FormatInt(int64(p.Shared/unit.MB), 10)
			if p.Pages > 0 {
				given["shared_memory_size_in_huge_pages"] = strconv.FormatInt(p.Pages, 10)
			}
		}
	}
	left := s.config.Faults
	if _, set := s.conf.Winner("unix_socket_directories"); !set && s.folders == "" {
		// /tmp or /run/postgresql, by who built the program, which was not asked
		left = append(slices.Clone(left), pg.ConfigFault{Name: "unix_socket_directories"})
	}
	rows := pg.FromFiles(s.major, s.conf, left, given)
	s.set = rows.Values()
	if s.set["wal_buffers"] == "-1" {
		buffers, err := strconv.ParseInt(s.set["shared_buffers"], 10, 64)
		segment, err2 := strconv.ParseInt(s.set["wal_segment_size"], 10, 64)
		if err == nil && err2 == nil {
			given["wal_buffers"] = strconv.FormatInt(pg.WALBuffersOf(buffers, unit.Bytes(segment)), 10)
			rows = pg.FromFiles(s.major, s.conf, left, given)
		}
	}
	c.json(name, rows)
	if n, err := strconv.Atoi(s.set["port"]); err == nil && n > 0 && n < 1<<16 {
		in.port = n
	}
	in.socketDir = firstDir(s.set["unix_socket_directories"])
}
