package scratch

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Shadow is a data directory that holds only what postgres reads before it
// creates shared memory: PG_VERSION, global/pg_control and a configuration. A
// postgres that is asked there never sees the real data directory, so it may be
// asked while the real server runs; it takes no lock but in the shadow.
type Shadow struct {
	Binaries Binaries
	place    *place
}

// SharedMemory is what a binary said of the shared memory that a configuration
// needs.
type SharedMemory struct {
	Bytes  unit.Bytes // requested from the kernel; rounded up to whole MB with -C
	Pages  int64      // huge pages, of huge_page_size or else the kernel's default size; 0: not said
	Method string
}

// The two ways to ask, as they are named in answers.
const (
	ByGUC   = "-C shared_memory_size_in_huge_pages"
	ByLimit = "request under an address-space limit"
)

const (
	shadowTimeout = 10 * time.Second // an answer takes 10 to 20 ms
	controlSize   = 8192             // PG_CONTROL_FILE_SIZE of all versions
)

// NewShadow makes a shadow of a data directory, of which it reads two small files. It fails with fs.ErrPermission if we
// cannot read them. The programs will run as acc, which must own the two files if we act on its behalf.
func NewShadow(b Binaries, dataDir string, acc Account) (*Shadow, error) {
	version, err := acc.read(dataDir+"/PG_VERSION", 64)
	if err != nil {
		return nil, say.Err("data directory: {reason}", "reason", err)
	}
	control, err := acc.read(dataDir+"/global/pg_control", controlSize)
	if err != nil {
		return nil, say.Err("control file: {reason}", "reason", err)
	}
	p, err := newPlace(acc, "")
	if err != nil {
		return nil, err
	}
	s := &Shadow{Binaries: b, place: p}
	err = errors.Join(p.mkdir("global"), p.write("PG_VERSION", version), p.write("global/pg_control", control))
	if err != nil {
		return nil, errors.Join(say.Err("shadow data directory: {reason}", "reason", err), s.Remove())
	}
	return s, nil
}

// read reads a file of the account, with its rights where we are root: what it
// could not read itself is not copied to where it can.
func (a Account) read(path string, limit int64) ([]byte, error) {
	return (&target.Local{}).As(target.User{UID: a.UID, GID: a.GID}).ReadFile(path, limit)
}

// Remove takes the shadow away.
func (s *Shadow) Remove() error { return s.place.remove() }

// Ask asks how much shared memory the server needs with these settings, values in the base unit of pg_settings;
// settings not given have their defaults. A server of 15 or later computes it and prints it; an older one, or one that
// does not report it, is started under a limit that makes its request fail.
func (s *Shadow) Ask(ctx context.Context, settings map[string]string) (SharedMemory, error) {
	if s.Binaries.Version.Major() < 15 {
		return s.AskByLimit(ctx, settings)
	}
	a, err := s.askByGUC(ctx, settings)
	if err == nil || ctx.Err() != nil {
		return a, err
	}
	b, err2 := s.AskByLimit(ctx, settings)
	if err2 != nil {
		return SharedMemory{}, err // the plainer of the two
	}
	return b, nil
}

// askByGUC prints the two parameters that the server computes at start.
func (s *Shadow) askByGUC(ctx context.Context, settings map[string]string) (SharedMemory, error) {
	if err := s.configure(settings, nil); err != nil {
		return SharedMemory{}, err
	}
	// One after the other: a program that computes a value takes the lock file of the data directory.
	mb, err := s.print(ctx, "shared_memory_size")
	if err != nil {
		return SharedMemory{}, err
	}
	if mb <= 0 {
		return SharedMemory{}, say.Named("postgres -C shared_memory_size", say.Err("answered {value}",
			"value", strconv.FormatInt(mb, 10)))
	}
	pages, err := s.print(ctx, "shared_memory_size_in_huge_pages")
	if err != nil {
		return SharedMemory{}, err
	}
	// -1: this build knows no huge pages.
	return SharedMemory{Bytes: unit.Bytes(mb) * unit.MB, Pages: max(pages, 0), Method: ByGUC}, nil
}

func (s *Shadow) print(ctx context.Context, name string) (int64, error) {
	out, errText, err := s.run(ctx, s.Binaries.Tool("postgres"), "-D", s.place.path, "-C", name)
	var exit *exec.ExitError
	if said := complaint(errText); errors.As(err, &exit) && exit.Exited() && said != "" {
		return 0, &refusedError{how: say.Text("postgres -C " + name), said: said}
	}
	if err != nil {
		return 0, say.Named("postgres -C "+name, say.Named(err, errors.New(complaint(errText))))
	}
	n, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil || n > 1<<40 {
		return 0, say.Named("postgres -C "+name, say.Err("answered {value}", "value", say.Quoted(lastLines(out, 1))))
	}
	return n, nil
}

// The second way. A request for shared memory fails where it exceeds the limit of the address space, and postgres then
// reports its size before any of it is touched. So that also a small request exceeds a limit that leaves room for the
// program and its preloaded libraries, wal_buffers is raised by as many whole multiples of 1024 blocks as it takes:
// each block adds its 8 kB and 8 bytes of bookkeeping (src/backend/access/transam/xlog.c XLOGShmemSize), 1024 of them a
// multiple of the 8 kB to which the sum is rounded, so that taking them off again is exact.
const (
	addressLimit  = 1 << 20 // kB, as ulimit -v counts
	maxWALBuffers = 262143  // upper bound of wal_buffers in blocks, all versions
	walChunk      = 1024    // blocks
	walBlock      = 8192 + 8
)

var (
	requestSize = regexp.MustCompile(`\(currently (\d+) bytes\)`)
	chatter     = regexp.MustCompile(`(FATAL|ERROR|PANIC|LOG|WARNING):\s*`)
)

// AskByLimit asks by starting the server under an address-space limit.
func (s *Shadow) AskByLimit(ctx context.Context, settings map[string]string) (SharedMemory, error) {
	wal, err := walBuffers(s.Binaries.Version.Major(), settings)
	if err != nil {
		return SharedMemory{}, err
	}
	extra := (maxWALBuffers - wal) / walChunk * walChunk
	err = s.configure(settings, map[string]string{"wal_buffers": strconv.FormatInt(wal+extra, 10),
		"shared_memory_type": "mmap"})
	if err != nil {
		return SharedMemory{}, err
	}
	_, errText, runErr := s.run(ctx, "/bin/sh", "-c", `ulimit -v "$0" && exec "$@"`, strconv.Itoa(addressLimit),
		s.Binaries.Tool("postgres"), "-D", s.place.path)
	if ctx.Err() != nil {
		return SharedMemory{}, context.Cause(ctx)
	}
	m := requestSize.FindStringSubmatch(errText)
	if m == nil {
		why := complaint(errText)
		how := say.M("postgres under an address-space limit: its log message has no size")
		if why == "" && runErr != nil {
			return SharedMemory{}, say.Named(how, runErr)
		}
		return SharedMemory{}, &refusedError{how: how, said: why}
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if n -= extra * walBlock; err != nil || n <= 0 || n > 1<<50 {
		return SharedMemory{}, say.Err("postgres under an address-space limit: answered {value} bytes", "value", m[1])
	}
	return SharedMemory{Bytes: unit.Bytes(n), Method: ByLimit}, nil
}

// walBuffers returns what wal_buffers will be, in blocks: where it is -1, the
// thirty-second part of shared_buffers, from 8 blocks to one WAL segment
// (XLOGChooseNumBuffers, the same in 13 to 18).
func walBuffers(major int, settings map[string]string) (int64, error) {
	get := func(name string, absent int64) (int64, error) {
		v, ok := settings[name]
		if !ok {
			return absent, nil
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < -1 || n > 1<<40 {
			return 0, say.Err("{name} = {value}: not a number of its base unit", "name", name, "value", say.Quoted(v))
		}
		return n, nil
	}
	compiled := int64(16384)
	if major < 15 {
		compiled = 1024 // initdb writes the 128 MB of these versions into the configuration
	}
	wal, err1 := get("wal_buffers", -1)
	buffers, err2 := get("shared_buffers", compiled)
	segment, err3 := get("wal_segment_size", int64(16*unit.MB))
	if err := errors.Join(err1, err2, err3); err != nil {
		return 0, err
	}
	if wal == -1 {
		wal = max(min(buffers/32, segment/8192), 8)
	}
	return min(max(wal, 4), maxWALBuffers), nil // the server raises what is below 4
}

// configure writes the shadow's postgresql.conf. What we need for asking comes
// last and wins.
func (s *Shadow) configure(settings, more map[string]string) error {
	conf := map[string]string{}
	for k, v := range settings {
		if k != "wal_segment_size" { // in the control file, not in a configuration
			conf[k] = v
		}
	}
	for k, v := range more {
		conf[k] = v
	}
	for k, v := range map[string]string{
		"listen_addresses": "", "unix_socket_directories": "", "external_pid_file": "", "huge_pages": "off",
		"logging_collector": "off", "log_destination": "stderr", "lc_messages": "C", "log_line_prefix": "",
	} {
		conf[k] = v
	}
	text, err := confText(conf)
	if err != nil {
		return err
	}
	if err := s.place.write("postgresql.conf", []byte(text)); err != nil {
		return say.Err("shadow data directory: {reason}", "reason", err)
	}
	return nil
}

// run runs a program in the shadow and returns its two outputs.
func (s *Shadow) run(ctx context.Context, path string, args ...string) (out, errText string, err error) {
	ctx, cancel := context.WithTimeout(ctx, shadowTimeout)
	defer cancel()
	cmd, err := s.place.account.command(ctx, path, args...)
	if err != nil {
		return "", "", err
	}
	cmd.Env, cmd.Dir = environment(s.place.path), s.place.path
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &bounded{w: &o, left: 64 << 10}, &bounded{w: &e, left: 64 << 10}
	err = s.place.account.finish(cmd)
	return o.String(), e.String(), err
}

// complaint picks the server's reason out of its messages.
func complaint(text string) string {
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "FATAL:") || strings.Contains(line, "ERROR:") {
			return chatter.ReplaceAllString(strings.TrimSpace(line), "")
		}
	}
	return chatter.ReplaceAllString(lastLines(text, 2), "")
}
