package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// A history that another account writes, as the packaged service does, may be any
// bytes. Root does not open such a file: a command that only reads it becomes its
// holder for good, and one that goes on as root has a child read it that is the
// holder, and takes the peaks from it as JSON.

// service is the history of the packaged service.
var service = filepath.Join(store.ServiceDir, store.File)

// historyPath is the history that is read where nobody names one: the user's own,
// else that of the packaged service where there is one.
func historyPath(env *Env) (string, error) {
	own, err := store.DefaultPath(env.Target.UID(), env.Getenv)
	if _, e := os.Lstat(own); err == nil && !errors.Is(e, os.ErrNotExist) {
		return own, nil
	}
	if _, e := os.Lstat(service); e == nil {
		return service, nil
	}
	return own, err
}

// noHolder is what is said where there is no one account to become.
func noHolder(file string) error {
	return &say.Problem{Message: fmt.Sprintf("the history %q is in a folder that several accounts may write", file), Detail: "root does not open what others can put there",
		Hint: "run pgfettle as the account that writes it, or move it to a folder of root's", Code: exitRefused}
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
	if err := errors.Join(os.NewSyscallError("setgroups", syscall.Setgroups([]int{gid})), os.NewSyscallError("setgid", syscall.Setgid(gid)), os.NewSyscallError("setuid", syscall.Setuid(uid))); err != nil {
		return &say.Problem{Message: fmt.Sprintf("the history %q belongs to another account, which root cannot become here: %v", file, err), Hint: "run pgfettle as that account", Code: exitNoAccess}
	}
	return nil
}

// runPeaks prints the peaks of a history.
func runPeaks(ctx context.Context, env *Env, file string) error {
	s, err := readHistory(env, file)
	if err != nil {
		return err
	}
	defer s.Close()
	p, err := s.Peaks(ctx, env.Target.Now())
	if err != nil {
		return err
	}
	b, err := json.Marshal(p)
	if err == nil {
		_, err = env.Stdout.Write(append(b, '\n'))
	}
	return err
}

// mostPeaks bounds what a child may print: a line or two for each instance.
const mostPeaks = 1 << 20

// peaksOf reads the peaks of a history, as its holder where we are root and it is
// another's.
func peaksOf(ctx context.Context, env *Env, file string) (*history.Peaks, error) {
	s, err := store.OpenRead(file)
	switch {
	case errors.Is(err, store.ErrOthers):
		return peaksAsHolder(ctx, env, file)
	case err != nil:
		return nil, err
	}
	defer s.Close()
	return s.Peaks(ctx, env.Target.Now())
}

func peaksAsHolder(ctx context.Context, env *Env, file string) (*history.Peaks, error) {
	uid, gid, known, err := store.Holder(file)
	switch {
	case err != nil:
		return nil, err
	case !known || uid == 0:
		return nil, noHolder(file)
	}
	out, err := env.Target.Run(ctx, target.Command{Argv: []string{"/proc/self/exe", "history", "--peaks", "--history", file}, As: &target.User{UID: uid, GID: gid}, Limit: mostPeaks})
	switch {
	case err != nil:
		return nil, fmt.Errorf("history %s, read as user id %d: %w", file, uid, err)
	case out.Code != exitFine:
		return nil, fmt.Errorf("history %s, read as user id %d: %s", file, uid, typeset.Line(string(bytes.TrimSpace(out.Stderr))))
	}
	p, err := history.Parse(out.Stdout)
	if err != nil {
		return nil, fmt.Errorf("history %s, read as user id %d: %w", file, uid, err)
	}
	return &p, nil
}

// peaks returns what tells the peaks of the history of this host: the user's own,
// else root's or the packaged service's where he may read it. It is nothing where
// nobody watched.
func peaks(env *Env) func(context.Context) (*history.Peaks, error) {
	return func(ctx context.Context) (*history.Peaks, error) {
		var files []string
		if own, err := store.DefaultPath(env.Target.UID(), env.Getenv); err == nil {
			files = append(files, own)
		}
		for _, other := range []string{filepath.Join(store.Dir, store.File), service} {
			if !slices.Contains(files, other) {
				files = append(files, other)
			}
		}
		for i, file := range files {
			p, err := peaksOf(ctx, env, file)
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
}
