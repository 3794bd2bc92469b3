package collect

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// askProgram asks the installed program of a stopped instance what it makes of the
// configuration: on a scratch copy, as the instance's account, as docs/security.md
// has it. Nothing of the instance is touched.
func (c *collector) askProgram(ctx context.Context, s *stopped) {
	name := pg.StartProgramPart
	if l, ok := c.t.(*target.Local); !ok || l.Root != "" && l.Root != "/" {
		c.unreadable(s.in, name, "no programs are run on this target")
		return
	}
	acc, err := c.programsAccount(s.in)
	if err != nil {
		c.unreadable(s.in, name, err.Error())
		return
	}
	b, p := s.installed(ctx, acc)
	if s.program = p; p == nil {
		c.unreadable(s.in, name, "no postgres program was found")
		return
	}
	if b.Version.Major() != s.major || len(s.conf.Files) == 0 {
		return
	}
	if err := s.ask(ctx, b, acc); err != nil {
		c.unreadable(s.in, name+"_answer", err.Error())
	}
}

// programsAccount is the account that the programs of an instance run as.
func (c *collector) programsAccount(in *instance) (scratch.Account, error) {
	if !c.root {
		return scratch.Unprivileged()
	}
	if in.account.UID <= 0 {
		return scratch.Account{},
			errors.New("the data directory belongs to root, as which no program of a server is run")
	}
	return scratch.Account{UID: in.account.UID, GID: in.account.GID, Switch: true}, nil
}

// installed finds the program that would run the server: the one that its last
// start or its unit names, as long as it is there; else any of the same major.
func (s *stopped) installed(ctx context.Context, acc scratch.Account) (scratch.Binaries, *pg.StartProgram) {
	for _, n := range []struct{ path, by string }{{firstOf(s.opts), "postmaster.opts"}, {s.in.unitProgram, s.in.unit}} {
		if !path.IsAbs(n.path) {
			continue
		}
		if b, err := scratch.AtAs(ctx, path.Dir(n.path), acc); err == nil {
			return b, &pg.StartProgram{Cluster: s.cluster, Path: b.Tool("postgres"), Named: n.by, Version: b.Version}
		}
	}
	others := []string{}
	for _, b := range scratch.Installed(ctx) {
		if b.Version.Major() == s.major {
			return b, &pg.StartProgram{Cluster: s.cluster, Path: b.Tool("postgres"), Version: b.Version}
		}
		if v := b.Version.String(); !slices.Contains(others, v) {
			others = append(others, v)
		}
	}
	if len(others) == 0 {
		return scratch.Binaries{}, nil
	}
	return scratch.Binaries{}, &pg.StartProgram{Cluster: s.cluster, Others: others}
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// ask lets the program read the whole configuration and come as far as its request
// for shared memory.
func (s *stopped) ask(ctx context.Context, b scratch.Binaries, acc scratch.Account) (err error) {
	shadow, err := scratch.NewShadow(b, s.in.dataDir, acc)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, shadow.Remove()) }()
	if s.folders, err = shadow.Default(ctx, "unix_socket_directories"); err != nil {
		s.folders = ""
	}
	values := s.conf.Values()
	if s.control.Segment > 0 {
		values["wal_segment_size"] = strconv.FormatInt(int64(s.control.Segment), 10)
	}
	tried, err := shadow.Try(ctx, values)
	if err != nil {
		return err
	}
	s.program.Shared, s.program.Pages = tried.Shared.Bytes, tried.Shared.Pages
	for _, said := range tried.Complaints {
		if f, ok := s.blame(said, values); ok {
			s.config.Faults = append(s.config.Faults, f)
		}
	}
	return nil
}

var (
	quotedName = regexp.MustCompile(`parameter "([^"]+)"`)
	word       = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_.]*`)
	library    = regexp.MustCompile(`^could not (access|load|open) (file|library) `)
)

// blame finds the line that a message of the program is about. A message that
// speaks of no setting and of no library is of the scratch copy, and says nothing.
func (s *stopped) blame(said string, values map[string]string) (pg.ConfigFault, bool) {
	name := ""
	if m := quotedName.FindStringSubmatch(said); m != nil {
		name = strings.ToLower(m[1])
	} else if library.MatchString(said) {
		name = "shared_preload_libraries"
	} else {
		words := word.FindAllString(strings.ToLower(said), -1)
		for _, n := range slices.Sorted(maps.Keys(values)) {
			if slices.Contains(words, n) {
				name = n
				break
			}
		}
	}
	if name == "" {
		return pg.ConfigFault{}, false
	}
	w, ok := s.conf.Winner(name)
	return pg.ConfigFault{File: w.File, Line: w.Line, Name: name, Reason: said}, ok
}

// closedTo reports whether an error is that of a missing right.
func closedTo(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, target.ErrNotHis)
}
