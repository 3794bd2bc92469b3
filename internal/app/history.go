package app

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// A history that another account writes, as the packaged service does, may be any
// bytes. Root does not open such a file: a command that only reads it becomes its
// holder for good, and one that goes on as root has a child read it that is the
// holder, and takes the peaks from it as JSON.

// serviceHistory is the history of the packaged service.
var serviceHistory = filepath.Join(store.ServiceDir, store.File)

// HistoryPath is the history that is read by default: the user's own, otherwise that of the packaged service if there
// is one.
func (h *Host) HistoryPath() (string, error) {
	own, err := store.DefaultPath(h.Target.UID(), h.Getenv)
	if _, e := os.Lstat(own); err == nil && !errors.Is(e, os.ErrNotExist) {
		return own, nil
	}
	if _, e := os.Lstat(serviceHistory); e == nil {
		return serviceHistory, nil
	}
	return own, err
}

// History is a history that is open to be read, and has to be closed.
type History interface {
	Path() string
	Span(context.Context) (first, last time.Time, err error)
	Instances(context.Context) ([]string, error)
	List(context.Context) ([]history.Info, error)
	Ranges(ctx context.Context, of []history.Series, from, to time.Time, most int) ([][]history.Bucket, error)
	EventsBetween(context.Context, history.EventFilter) ([]history.Event, error)
	SettingsAt(ctx context.Context, instance string, at time.Time) (map[string]string, error)
	SettingsDiff(ctx context.Context, instance string, from, to time.Time) ([]history.SettingChange, error)
	Peaks(ctx context.Context, now time.Time) (*history.Peaks, error)
	Close() error
}

// Why a history cannot be read.
var (
	ErrNoHistory      = store.ErrNone    // there is no such file
	ErrOthersHistory  = store.ErrOthers  // another account can write it, and we are root
	ErrForeignHistory = store.ErrForeign // it is another program's file
	ErrNewerHistory   = store.ErrNewer   // a later version of this program wrote it
)

// ReadHistory opens a history as the account that this is; an error wraps one of the above if it is one of them.
func ReadHistory(file string) (History, error) {
	s, err := store.OpenRead(file)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// History opens a history to read it, "" the one that is usual here, and words what may
// be wrong with it. Root becomes the account that the file belongs to, for as long as
// the program runs.
func (h *Host) History(file string) (History, error) {
	if file == "" {
		var err error
		if file, err = h.HistoryPath(); err != nil {
			return nil, say.Usage(say.OfError(err), say.M("Name the file with --history FILE."))
		}
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	s, err := store.OpenRead(file)
	if errors.Is(err, store.ErrOthers) {
		if err := becomeHolder(file); err != nil {
			return nil, err
		}
		s, err = store.OpenRead(file)
	}
	if err == nil {
		return s, nil
	}
	p := &say.Problem{Message: say.M("could not read the history"), Detail: say.OfError(err), Code: say.CodeError}
	switch {
	case errors.Is(err, store.ErrNone):
		p.Message, p.Detail = say.M("no history: pgfettle watch has not run yet"), say.M("The default file is {file}.",
			"file", file)
		p.Hint = say.M("Record a history with pgfettle watch, or name another one with --history FILE.")
	case errors.Is(err, store.ErrReadOnly):
		p.Hint, p.Code = say.M("Run pgfettle as the owner of the file, usually root."), say.CodeNoAccess
	case errors.Is(err, store.ErrNewer):
		p.Hint = say.M("Read it with the version of pgfettle that writes it.")
	}
	return nil, p
}

// Peaks returns the peaks of a history, "" the one that is usual here.
func (h *Host) Peaks(ctx context.Context, file string) (*history.Peaks, error) {
	s, err := h.History(file)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Peaks(ctx, h.Target.Now())
}

// noHolder is what is said if there is no one account to become.
func noHolder(file string) error {
	return &say.Problem{Message: say.M("history {file} is in a directory that several accounts can write", "file",
		say.Quoted(file)),
		Detail: say.M("As root, pgfettle does not open files that others can replace."),
		Hint:   say.M("Run pgfettle as the account that writes the history, or move the file to a directory of root."),
		Code:   say.CodeRefused}
}

// becomeHolder gives up root's rights for those of the account that a history
// belongs to, for as long as the program runs.
func becomeHolder(file string) error {
	uid, gid, known, err := store.Holder(file)
	switch {
	case err != nil:
		return err
	case !known || uid == 0:
		return noHolder(file)
	}
	if err := errors.Join(os.NewSyscallError("setgroups", syscall.Setgroups([]int{gid})),
		os.NewSyscallError("setgid", syscall.Setgid(gid)), os.NewSyscallError("setuid",
			syscall.Setuid(uid))); err != nil {
		return &say.Problem{Message: say.M("could not read history {file} as its owner: {error}", "file",
			say.Quoted(file), "error", err),
			Hint: say.M("Run pgfettle as the owner of the file."), Code: say.CodeNoAccess}
	}
	return nil
}

// mostPeaks bounds what a child may print: a line or two for each instance.
const mostPeaks = 1 << 20

// peaksOf reads the peaks of a history, as its holder if we are root and it is another's.
func (h *Host) peaksOf(ctx context.Context, file string) (*history.Peaks, error) {
	s, err := store.OpenRead(file)
	switch {
	case errors.Is(err, store.ErrOthers):
		return h.peaksAsHolder(ctx, file)
	case err != nil:
		return nil, err
	}
	defer s.Close()
	return s.Peaks(ctx, h.Target.Now())
}

func (h *Host) peaksAsHolder(ctx context.Context, file string) (*history.Peaks, error) {
	uid, gid, known, err := store.Holder(file)
	switch {
	case err != nil:
		return nil, err
	case !known || uid == 0:
		return nil, noHolder(file)
	}
	out, err := h.Target.Run(ctx, target.Command{Argv: []string{"/proc/self/exe", "history", "--peaks",
		"--history", file},
		As: &target.User{UID: uid, GID: gid}, Limit: mostPeaks})
	switch {
	case err != nil:
		return nil, asHolder(file, uid, err)
	case out.Code != 0:
		said := strings.Join(strings.Fields(string(bytes.ToValidUTF8(out.Stderr, nil))), " ")
		return nil, asHolder(file, uid, said)
	}
	p, err := history.Parse(out.Stdout)
	if err != nil {
		return nil, asHolder(file, uid, err)
	}
	return &p, nil
}

func asHolder(file string, uid int, reason any) error {
	return say.Err("history {file}, read as user id {uid}: {reason}", "file", file, "uid", strconv.Itoa(uid),
		"reason", reason)
}

// peaks are those of the history of this host: the user's own, else root's or the packaged service's if the user can
// read it. They are nil if the host was not watched.
func (h *Host) peaks(ctx context.Context) (*history.Peaks, error) {
	var files []string
	if own, err := store.DefaultPath(h.Target.UID(), h.Getenv); err == nil {
		files = append(files, own)
	}
	for _, other := range []string{filepath.Join(store.Dir, store.File), serviceHistory} {
		if !slices.Contains(files, other) {
			files = append(files, other)
		}
	}
	for i, file := range files {
		p, err := h.peaksOf(ctx, file)
		switch {
		case errors.Is(err, store.ErrNone), i > 0 && errors.Is(err, store.ErrReadOnly):
			continue
		case err != nil:
			return nil, err
		}
		if p.Days > 0 || len(p.Instances) > 0 {
			return p, nil
		}
	}
	return nil, nil
}
