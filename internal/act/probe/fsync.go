package probe

import (
	"context"
	"errors"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// fsyncTests is how many tests pg_test_fsync runs on Linux, each of the given number of seconds: four methods twice,
// five sizes, two descriptors, one without.
const fsyncTests = 16

// slack is what a program may take beyond the time that it was given: a disk
// that answers within seconds is measured all the same.
const slack = time.Minute

// fsync runs pg_test_fsync, or our own loop if there is none.
func (w *Work) fsync(ctx context.Context, d *Place, f *folder) *measured.Flush {
	name := "flushes under " + d.Places[0]
	tool, by := w.tool(ctx, "pg_test_fsync", d.in, f.as)
	if tool == "" {
		w.miss("pg_test_fsync", "it is not installed; "+measured.OwnFlush+" stood in, with one method and one write",
			"install the server package of PostgreSQL: postgresql-17 on Debian, postgresql17-server and "+
				"postgresql17-contrib on Red Hat")
		return w.ownFlush(ctx, d, f, name)
	}
	out, err := f.run(ctx, target.Command{Argv: []string{tool, "-s", strconv.Itoa(w.o.Seconds), "-f",
		path.Join(f.path, "pg_test_fsync.out")},
		Dir: f.path, Timeout: time.Duration(fsyncTests*w.o.Seconds)*time.Second + slack})
	if err == nil && out.Code != 0 {
		err = say.Named("pg_test_fsync", errors.New(oneLine(out.Stderr)))
	}
	var parsed *measured.Fsync
	if err == nil {
		parsed, err = measured.ParseFsync(out.Stdout)
	}
	if err != nil {
		w.failed(ctx, name, err)
		return nil
	}
	return &measured.Flush{By: by, Fsync: *parsed}
}

// failed notes why a measurement has no result; an interrupt is no reason.
func (w *Work) failed(ctx context.Context, name string, err error) {
	if ctx.Err() == nil {
		w.miss(name, err.Error(), "")
	}
}

// timing runs pg_test_timing, as the owner of the first instance or else as we
// are: it touches nothing.
func (w *Work) timing(ctx context.Context) *measured.TimingRun {
	var in *snapshot.Instance
	if len(w.s.Instances) > 0 {
		in = &w.s.Instances[0]
	}
	as := w.owner(in)
	tool, by := w.tool(ctx, "pg_test_timing", in, as)
	if tool == "" {
		w.miss("pg_test_timing", "it is not installed",
			"install the server package of PostgreSQL: postgresql-17 on Debian, postgresql17-server and "+
				"postgresql17-contrib on Red Hat")
		return nil
	}
	out, err := w.t.Run(ctx, target.Command{Argv: []string{tool, "-d", strconv.Itoa(w.o.Seconds)}, As: as,
		Timeout: 4*time.Duration(w.o.Seconds)*time.Second + slack})
	if err == nil && out.Code != 0 {
		err = say.Named("pg_test_timing", errors.New(oneLine(out.Stderr)))
	}
	var parsed *measured.Timing
	if err == nil {
		parsed, err = measured.ParseTiming(out.Stdout)
	}
	if err != nil {
		w.failed(ctx, "pg_test_timing", err)
		return nil
	}
	return &measured.TimingRun{By: by, Timing: *parsed}
}

// owner is the user that an instance's programs are run as; nil: ours. Those that access nothing run as the user nobody
// if we are root and no instance has a better one.
func (w *Work) owner(in *snapshot.Instance) *target.User {
	if w.t.UID() != 0 {
		return nil
	}
	if in != nil {
		if dir, ok := in.DataDirectory.Get(); ok {
			if a, err := trust.Instance(w.t, dir); err == nil {
				u := a.Alone()
				return &u
			}
		}
	}
	return &target.User{UID: trust.Nobody, GID: trust.Nobody}
}

// toolVersion is what pg_test_fsync --version and its like print.
var toolVersion = regexp.MustCompile(`^pg_[a-z_]+ \(PostgreSQL\) ([0-9][0-9a-z.]{0,15})`)

// tool finds a program of PostgreSQL: that of the instance's own build first,
// then the newest that packages have installed. by names it with its version.
func (w *Work) tool(ctx context.Context, name string, in *snapshot.Instance, as *target.User) (at, by string) {
	var dirs []string
	if in != nil {
		if bin, ok := in.BinDir.Get(); ok && bin != "" {
			dirs = append(dirs, bin)
		}
	}
	for major := 25; major >= 9; major-- { // what packages have been or will soon be named after
		n := strconv.Itoa(major)
		dirs = append(dirs, "/usr/lib/postgresql/"+n+"/bin", "/usr/pgsql-"+n+"/bin", "/usr/lib/postgresql"+n+"/bin")
	}
	dirs = append(dirs, "/usr/local/pgsql/bin", "/usr/bin")
	for _, dir := range dirs {
		file := path.Join(dir, name)
		if st, err := w.t.Stat(file); err != nil || !st.Mode.IsRegular() {
			continue
		}
		whose := trust.Account{UID: w.t.UID()} // without root it runs as the current user
		if as != nil && w.t.UID() == 0 {
			whose = trust.Account{UID: as.UID, GID: as.GID}
		}
		if as != nil || w.t.UID() != 0 {
			if _, err := whose.Program(w.t, file); err != nil {
				continue
			}
		}
		out, err := w.t.Run(ctx, target.Command{Argv: []string{file, "--version"}, As: as})
		if m := toolVersion.FindSubmatch(out.Stdout); err == nil && m != nil {
			return file, name + " " + string(m[1])
		}
	}
	return "", ""
}

// ownFlush writes a block and calls fdatasync(2), again and again.
func (w *Work) ownFlush(ctx context.Context, d *Place, f *folder, name string) *measured.Flush {
	rate, err := flushLoop(ctx, w.t.Reach(f.path), f.as, time.Duration(w.o.Seconds)*time.Second)
	if err != nil {
		w.failed(ctx, name, err)
		return nil
	}
	return &measured.Flush{By: measured.OwnFlush, Fsync: measured.Fsync{Seconds: w.o.Seconds,
		One: []measured.Rate{{Name: "fdatasync", PerSecond: rate}}, Two: []measured.Rate{}}}
}

// flushLoop measures in a directory, with the given user's rights to it: who owns the directory above could have put a
// link to another one in its place. nil is ourselves.
func flushLoop(ctx context.Context, dir string, as *target.User, long time.Duration) (float64, error) {
	file, err := target.Create(as, path.Join(dir, "flush"), os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	// Blocks that are written for the first time cost the filesystem more than
	// those of a segment that is used again.
	if _, err := file.Write(slices.Repeat([]byte{0x5a}, int(flushSize))); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	block := slices.Repeat([]byte{0xa5}, 8192)
	n, began := 0, time.Now()
	for time.Since(began) < long {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if _, err := file.WriteAt(block, 0); err != nil {
			return 0, err
		}
		if err := unix.Fdatasync(int(file.Fd())); err != nil {
			return 0, say.Named("fdatasync", err)
		}
		n++
	}
	return float64(n) / time.Since(began).Seconds(), nil
}
