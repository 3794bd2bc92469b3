package collect

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// discover finds the instances that run on this host, by the processes of
// their postmasters: a process of a server's name whose parent is none of
// them, that has a data directory and is no standalone backend.
func (c *collector) discover() []*instance {
	c.say("looking for running instances")
	procs := c.servers()
	children := map[int][]int{}
	for _, p := range procs {
		children[p.parent] = append(children[p.parent], p.pid)
	}
	var found []*instance
	for _, pid := range slices.Sorted(maps.Keys(procs)) {
		if _, child := procs[procs[pid].parent]; child {
			continue
		}
		c.safely("proc/"+strconv.Itoa(pid), func() {
			if in := c.postmaster(procs[pid], children[pid]); in != nil {
				found = append(found, in)
			}
		})
	}
	c.matchSockets(found)
	c.found = found
	return found
}

// tellGaps notes what could not be known of an instance, after its server had
// its say.
func (c *collector) tellGaps(in *instance) {
	for _, m := range in.gaps {
		if m.Name == fieldDataDir && in.dataDir != "" {
			continue
		}
		m.Name = in.name(m.Name)
		c.a.AddMissing(m)
	}
	c.explain(in)
}

// postmaster looks at a process that may be a postmaster; nil if it is none.
func (c *collector) postmaster(proc serverProc, children []int) *instance {
	pid := proc.pid
	args := c.arguments(pid)
	if len(args) > 0 && !postmasterArgs(args) {
		return nil
	}
	p := "proc/" + strconv.Itoa(pid)
	in := &instance{pid: pid, start: proc.start, args: args, view: c.t, account: trust.Account{UID: -1}}
	if c.nested(pid) {
		in.inside = true
		if view, err := c.t.Sub(p + "/root"); err == nil {
			in.view = view
		} else {
			in.view = closed{c.t}
		}
	}
	if c.accountOf(in); c.root {
		if in.distrust != nil && in.account.UID < 0 {
			in.view = closed{c.t} // there is no account to read its files as
		} else {
			in.view = in.view.As(in.account.User())
		}
	}
	if g := in.findDataDir(c, p); g != nil {
		in.gaps = append(in.gaps, *g)
	}
	if in.distrust == nil {
		c.judge(in, p)
	}
	if !in.trusted() {
		in.processes = append([]int{pid}, slices.Sorted(slices.Values(children))...)
		if in.dataDir == "" && len(children) == 0 {
			return nil // only its name suggests it
		}
		in.fromArguments()
		return in
	}
	file, err := in.readPIDFile()
	switch {
	case err == nil && !c.isOf(file, pid):
		// a standalone backend, a client that is in the directory, or a lock file that a crash left behind and another
		// process wears
		return nil
	case err == nil:
		in.port, in.socketDir, in.listen = file.port, file.socketDir, file.listen
		in.startedAt = file.startedAt
		if n, err := strconv.Atoi(file.segment); err == nil && n >= 0 {
			in.segment = &n
		}
		in.notes = append(in.notes, statusNote(file.status)...)
	case in.dataDir == "" && len(children) == 0:
		return nil // only its name suggests it
	case gone(err) && in.dataDir != "" && len(children) == 0:
		return nil // a data directory has the file while its server runs
	}
	in.processes = append([]int{pid}, slices.Sorted(slices.Values(children))...)
	in.findBinary(c, p)
	in.fromArguments()
	in.unit = c.unitOf(pid)
	return in
}

// fieldDataDir is the name of the field in instances.json.
const fieldDataDir = "data_directory"

// findDataDir takes the working directory of the postmaster, which it never leaves; where that may not be read, the -D
// of its command line, which may also be the directory of its configuration, so it has to look like a data directory as
// far as can be seen.
func (in *instance) findDataDir(c *collector, proc string) *evidence.Missing {
	cwd, err := c.t.Readlink(proc + "/cwd")
	if err == nil {
		cwd, removed := strings.CutSuffix(cwd, " (deleted)")
		if removed {
			in.notes = append(in.notes, "the data directory was removed under the running server")
			in.dataDir = cwd
			return nil
		}
		if _, err := in.view.ReadFile(path.Join(cwd, "PG_VERSION"), maxFile); !gone(err) {
			in.dataDir = cwd
			return nil
		}
		m := missing(fieldDataDir, fs.ErrNotExist, "")
		m.Reason = "the working directory of the process is no data directory"
		return &m
	}
	for _, d := range []string{option(in.args, 0, "data_directory"), option(in.args, 'D', "")} {
		if !path.IsAbs(d) {
			continue
		}
		if _, err := in.view.ReadFile(path.Join(d, "PG_VERSION"), maxFile); !gone(err) {
			in.dataDir = path.Clean(d)
			return nil
		}
	}
	m := missing(fieldDataDir, err, asOwner)
	if errors.Is(err, fs.ErrPermission) {
		m.Reason = "the working directory of the postmaster is closed to us, and its command line names none"
	}
	return &m
}

func (in *instance) readPIDFile() (pidFile, error) {
	if in.dataDir == "" {
		return pidFile{}, fs.ErrPermission
	}
	b, err := in.view.ReadFile(path.Join(in.dataDir, "postmaster.pid"), maxFile)
	if err != nil {
		return pidFile{}, err
	}
	return parsePIDFile(b)
}

// isOf reports whether a lock file names this process, by any of the ids that it has in its process namespaces.
func (c *collector) isOf(f pidFile, pid int) bool {
	return f.pid == pid || f.pid > 0 && slices.Contains(c.innerPIDs(pid), strconv.Itoa(f.pid))
}

func statusNote(status string) []string {
	switch status {
	case "starting", "stopping":
		return []string{"the server is " + status}
	}
	return nil
}

// findBinary takes the directory of the binary that runs. An upgrade of the package removes that binary while the
// server goes on with it.
func (in *instance) findBinary(c *collector, proc string) {
	exe, err := c.t.Readlink(proc + "/exe")
	if err != nil && len(in.args) > 0 && path.IsAbs(in.args[0]) {
		exe, err = in.args[0], nil // as pg_ctl and the units of all distributions start it
	}
	if err != nil {
		return
	}
	exe, replaced := strings.CutSuffix(exe, " (deleted)")
	if replaced {
		in.notes = append(in.notes, "the binary "+exe+
			" was replaced or removed since the server started; a restart will run another one")
	}
	in.binDir = path.Dir(exe)
}

// fromArguments fills what postmaster.pid did not show.
func (in *instance) fromArguments() {
	if in.port == 0 {
		if n, err := strconv.Atoi(option(in.args, 'p', "port")); err == nil && n > 0 && n < 1<<16 {
			in.port = n
		}
	}
	if in.socketDir == "" {
		in.socketDir = firstDir(option(in.args, 'k', "unix_socket_directories"))
	}
}

// explain notes why fields are not known.
func (c *collector) explain(in *instance) {
	if in.pid == 0 {
		m := evidence.Missing{State: known.Absent, Reason: notRunning, Reveal: "start the server"}
		if in.unsure {
			m = evidence.Missing{State: known.Forbidden, Reason: in.whyUnsure, Reveal: asRoot}
		}
		for _, field := range []string{"port", "bin_dir", "processes", "limits", "cgroup", "unit", "segment"} {
			m.Name = in.name(field)
			c.a.AddMissing(m)
		}
		if in.unsure {
			m.Name = in.name("running")
			c.a.AddMissing(m)
		}
		return
	}
	closed := func(field, reason string) {
		m := evidence.Missing{Name: in.name(field), State: known.Forbidden, Reason: reason, Reveal: asOwner}
		if c.root {
			m.State, m.Reveal = known.Unread, ""
		}
		c.a.AddMissing(m)
	}
	if in.port == 0 {
		closed("port", "postmaster.pid could not be read, and no socket or argument shows the port")
	}
	if in.segment == nil || in.startedAt == 0 {
		closed("segment", "postmaster.pid could not be read, or does not name the segment yet")
	}
	if in.binDir == "" {
		closed("bin_dir", "the link to the binary of the postmaster is closed to us")
	}
}
