package creation

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// patience is how long the initdb of a process that was killed is waited for, and pause the time between two looks. It
// ends with the next line that it writes, as nobody reads them any more, and its server with it.
const patience, pause = time.Minute, 50 * time.Millisecond

// idle waits until no process of the owner works in the directories of a cluster: a program that was killed leaves what
// it has started.
func (c cluster) idle(ctx context.Context, s newcluster.Spec) error {
	if err := c.uncopy(ctx, s); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		pid, err := c.worker(s)
		if err != nil || pid == "" {
			return err
		}
		select {
		case <-ctx.Done():
			return say.Named(s.Data, say.Err("process {pid} works in it: stop it first", "pid", pid))
		case <-time.After(pause):
		}
	}
}

// worker is a process of the owner that works in the data directory: a server has it as its working directory, initdb
// and pg_createcluster name it.
func (c cluster) worker(s newcluster.Spec) (string, error) {
	names, err := c.Target.ReadDir("/proc")
	if err != nil {
		return "", err
	}
	for _, pid := range names {
		if _, err := strconv.Atoi(pid); err != nil {
			continue
		}
		dir := path.Join("/proc", pid)
		argv, ok := c.argv(s, pid)
		if !ok || !slices.ContainsFunc([]string{"postgres", "initdb", "pg_basebackup"}, func(name string) bool {
			return strings.Contains(argv[0], name)
		}) {
			continue // a shell of a person who looks at it, or we
		}
		if at, err := c.Target.Readlink(path.Join(dir, "cwd")); err == nil && at == s.Data {
			return pid, nil
		}
		for _, a := range argv[1:] {
			if a == s.Data {
				return pid, nil
			}
		}
	}
	return "", nil
}

// argv are the arguments of a process of the owner; ok is false if it has ended, or is another's.
func (c cluster) argv(s newcluster.Spec, pid string) (list []string, ok bool) {
	dir := path.Join("/proc", pid)
	in, err := c.Target.Stat(dir)
	if err != nil || in.UID != s.Owner.UID {
		return nil, false
	}
	b, err := c.Target.ReadFile(path.Join(dir, "cmdline"), target.MaxConfigFile)
	return strings.Split(string(b), "\x00"), err == nil
}

// Runs reports whether a server runs on a cluster that was made, whether or not root trusts its account.
func (h Host) Runs(s newcluster.Spec) bool { return (cluster{Host: h}).stopped(s) != nil }

// stopped refuses while a server runs on the directory. The file that says so may be left by one that was killed.
func (c cluster) stopped(s newcluster.Spec) error {
	b, err := c.folders(s).Load(path.Join(s.Data, "postmaster.pid"), target.MaxConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid := strings.TrimPrefix(strings.TrimSpace(line), "-") // of a server in single-user mode
	at, err := c.Target.Readlink(path.Join("/proc", pid, "cwd"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && at != s.Data {
		return nil // the number may be another's by now: a server's working directory is its data directory
	}
	return say.Named(s.Data, say.Err("process {pid} runs on it: stop the server first", "pid", pid))
}
