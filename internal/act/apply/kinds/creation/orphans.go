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

// A program that was killed leaves what it has started at work: initdb, which may not have written a file yet, the
// servers that initdb feeds, a pg_ctl whose server is about to start. What is seen of the files counts only when none
// of them is left.

// patience is how long such programs are waited for, and pause the time between two looks.
const patience, pause = time.Minute, 50 * time.Millisecond

// worker is a process that works on a cluster.
type worker struct {
	pid string
	// makes: it is initdb, pg_basebackup, or a script of Debian's
	makes bool
	as    *target.User // whose rights suffice to end it; nil: ours
}

// idle waits until no process works on a cluster.
func (c cluster) idle(ctx context.Context, s newcluster.Spec) error {
	if err := c.uncopy(ctx, s); err != nil {
		return err
	}
	return c.until(ctx, s, func(worker) error { return nil })
}

// end ends what makes a cluster that is not finished: it would go on until it has something to say. The servers that it
// feeds are waited for: they end with their input, and killed ones would leave shared memory behind.
func (c cluster) end(ctx context.Context, s newcluster.Spec) error {
	return c.until(ctx, s, func(w worker) error {
		if !w.makes {
			return nil
		}
		// With the rights of its account: a number that is another's by now is out of reach. An exit status says that
		// it has ended already.
		_, err := c.Target.Run(ctx, target.Command{Argv: []string{"/bin/sh", "-c", `kill -KILL "$0"`, w.pid}, As: w.as})
		return err
	})
}

// until does something with what works on a cluster, until nothing does.
func (c cluster) until(ctx context.Context, s newcluster.Spec, do func(worker) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		all, err := c.workers(s)
		if err != nil || len(all) == 0 {
			return err
		}
		for _, w := range all {
			if err := do(w); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return say.Named(s.Data, say.Err("process {pid} works in it: stop it first", "pid", all[0].pid))
		case <-time.After(pause):
		}
	}
}

// workers are the processes that work on a cluster. They are looked for twice: one may end between the list of
// processes and the look at it, and what it started last is in the next list only.
func (c cluster) workers(s newcluster.Spec) (all []worker, err error) {
	for range 2 {
		names, err := c.Target.ReadDir("/proc")
		if err != nil {
			return nil, err
		}
		for _, pid := range names {
			if _, err := strconv.Atoi(pid); err != nil {
				continue
			}
			if w, ok := c.works(pid, s); ok {
				all = append(all, w)
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all, nil
}

// works reports whether a process works on a cluster. One that ends meanwhile does not.
func (c cluster) works(pid string, s newcluster.Spec) (worker, bool) {
	process := path.Join("/proc", pid)
	in, err := c.Target.Stat(process)
	// Debian's scripts start as we do. Of root's many processes no other one matters.
	ours := s.Hand == newcluster.Debian && in.UID == c.Target.UID()
	if err != nil || in.UID != s.Owner.UID && !ours {
		return worker{}, false // it has ended, or is another's
	}
	b, err := c.Target.ReadFile(path.Join(process, "cmdline"), target.MaxConfigFile)
	if err != nil {
		return worker{}, false
	}
	argv := strings.Split(string(b), "\x00")
	if in.UID != s.Owner.UID {
		return worker{pid: pid, makes: true}, script(argv, s)
	}
	w := worker{pid: pid, as: c.as(s.Owner)}
	switch name := path.Base(argv[0]); {
	case strings.HasPrefix(argv[0], "postgres:"): // a process of a server has a title for a name
		return w, c.begun(process, s)
	case name == "initdb", name == "pg_basebackup":
		w.makes = true
		fallthrough
	case name == "pg_ctl", name == "postgres":
		if named(argv[1:]) {
			return w, slices.Contains(argv, s.Data)
		}
	case name == "sh" && len(argv) > 2 && argv[1] == "-c" && strings.Contains(argv[2], "postgres"):
		if strings.Contains(argv[2], ` -D "`) { // of pg_ctl
			return w, strings.Contains(argv[2], ` -D "`+s.Data+`"`)
		}
	default:
		return w, false // a shell of a person who looks at it, or we
	}
	// a server of initdb, which names the directory to it in the environment alone
	b, err = c.Target.ReadFile(path.Join(process, "environ"), target.MaxConfigFile)
	return w, err == nil && slices.Contains(strings.Split(string(b), "\x00"), "PGDATA="+s.Data) || c.begun(process, s)
}

// script reports whether Debian's tools make or drop a cluster.
func script(argv []string, s newcluster.Spec) bool {
	return slices.Contains(argv, createCluster) && slices.Contains(argv, "--datadir="+s.Data) ||
		slices.Contains(argv, dropCluster) && slices.Contains(argv, strconv.Itoa(s.Major)) &&
			slices.Contains(argv, s.Name)
}

// named reports whether a program of PostgreSQL is given a data directory by an argument.
func named(argv []string) bool {
	return slices.ContainsFunc(argv, func(a string) bool {
		return strings.HasPrefix(a, "-D") || strings.HasPrefix(a, "--pgdata")
	})
}

// begun reports whether a process has the data directory as its working directory, as a server does once it has begun.
func (c cluster) begun(process string, s newcluster.Spec) bool {
	at, err := c.Target.Readlink(path.Join(process, "cwd"))
	return err == nil && at == s.Data
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

// stopped refuses while a server runs on the directory.
func (c cluster) stopped(s newcluster.Spec) error {
	pid, _, err := c.holder(s)
	if err == nil && pid != "" {
		err = say.Named(s.Data, say.Err("process {pid} runs on it: stop the server first", "pid", pid))
	}
	return err
}

// holder is the process of the server that runs on the directory, or "", and whether it is one in single-user mode. The
// file that says so may be left by one that was killed.
func (c cluster) holder(s newcluster.Spec) (pid string, alone bool, err error) {
	b, err := c.folders(s).Load(path.Join(s.Data, "postmaster.pid"), target.MaxConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid, alone = strings.CutPrefix(strings.TrimSpace(line), "-")
	at, err := c.Target.Readlink(path.Join("/proc", pid, "cwd"))
	if errors.Is(err, fs.ErrNotExist) || err == nil && at != s.Data {
		return "", false, nil // the number may be another's by now: a server's working directory is its data directory
	}
	return pid, alone, nil
}
