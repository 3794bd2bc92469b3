package serverlogs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

const (
	// journalLines are the newest records of a unit that are read: a server that logs
	// each statement writes them in minutes, another one in weeks.
	journalLines = 100_000
	// maxJournal bounds them: a record with the few fields that are asked for has about
	// 500 bytes beside its message.
	maxJournal = 96 << 20
	// journalTime bounds the reading: journalctl gives some 50,000 records per second.
	journalTime = 30 * time.Second
)

// journal adds what the unit of an instance wrote to the journal of systemd.
func (s *search) journal(ctx context.Context, in *snapshot.Instance) {
	name := s.unit(ctx, in)
	if name == "" {
		return
	}
	what := "journal of " + name
	argv := []string{"journalctl", "--no-pager", "--quiet", "--all", "--output=json",
		"--output-fields=MESSAGE,_TRANSPORT,SYSLOG_IDENTIFIER",
		"--lines=" + strconv.Itoa(journalLines)}
	if s.o.Newer > 0 {
		argv = append(argv, "--since=@"+strconv.FormatInt(s.t.Now().Add(-s.o.Newer).Unix(), 10))
	}
	out, err := s.t.Run(ctx, target.Command{Argv: append(argv, "_SYSTEMD_UNIT="+name), Timeout: journalTime,
		Limit: maxJournal})
	tooLarge := errors.Is(err, target.ErrTooLarge)
	switch {
	case errors.Is(err, target.ErrNoCommands):
		return // a tree of files has no journal
	case err != nil && !tooLarge:
		s.missing(what, err.Error(), "name the files")
		return
	case len(out.Stdout) == 0 && s.t.UID() != 0:
		s.missing(what, "journalctl shows no message of the server",
			"run pgfettle as root, or as a member of the group adm or systemd-journal")
		return
	case len(out.Stdout) == 0:
		if s.socket {
			s.missing(what, "journalctl shows no message of the server", "name the files")
		}
		return
	}
	if tooLarge {
		s.missing(what, fmt.Sprintf("its end was left out: only %s of it are read", unit.Bytes(maxJournal)),
			"fewer --days, or name the files")
	} else if bytes.Count(out.Stdout, []byte{'\n'}) >= journalLines {
		s.missing(what, fmt.Sprintf("messages before the newest %d were left out", journalLines), "name the files")
	}
	s.out.Sources = append(s.out.Sources, Source{Path: what, Unit: name, Format: pglog.Stderr,
		Size: int64(len(out.Stdout)), Time: s.t.Now(),
		ident: s.identOf(in), data: out.Stdout})
}

func (s *search) identOf(in *snapshot.Instance) string {
	dir, _ := in.DataDirectory.Get()
	return s.setting(dir, "syslog_ident")
}

// unit is the service whose journal has the messages of an instance; "": none. Of a
// server that does not run it is the one that would start it.
func (s *search) unit(ctx context.Context, in *snapshot.Instance) string {
	u, known := in.Unit.Get()
	_, up := in.Postmaster().Get()
	switch {
	case known && strings.HasSuffix(u.Name, ".service"):
		return u.Name
	case known || up:
		return "" // of a session, or of another service manager
	}
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return ""
	}
	return distribution.UnitOf(ctx, s.t, s.config, dir)
}
