package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// Request says what is examined, and how much of it.
type Request struct {
	Target string         // "", a data directory, a conninfo, an evidence file, or "-"
	Policy *policy.Policy // whose owners count; nil: those of this site's policy

	Deep     bool // also what grows with the number of tables
	Why      bool // also why the server of a closed data directory does not start
	Memory   bool // only what shows the memory of the host and of the instances
	Servers  bool // also which server programs are installed: for an upgrade
	Killable bool // also which processes the OOM killer would look at first
	Packages bool // also what the host's package manager has of the packages of the servers
	PSS      bool // also proportional set sizes, which costs the processes time
}

// Session is one look at a host and its instances.
type Session struct {
	Host      *Host
	Request   Request
	Collected *collect.Request // how it was collected; nil: from a file or a description
	Evidence  *evidence.Archive
	Snapshot  *snapshot.Snapshot
}

// whatATargetIs is the hint for an invalid TARGET.
const whatATargetIs = "Use a data directory, a conninfo such as 'host=db1 user=monitor', or an evidence file of " +
	"pgfettle snapshot. For this host, omit TARGET."

// Open resolves the target of a request, collects or reads its evidence, and makes the
// snapshot of it.
func (h *Host) Open(ctx context.Context, r Request) (*Session, error) {
	req, file, err := h.Resolve(r.Target)
	if err != nil {
		return nil, err
	}
	s := &Session{Request: r, Host: h}
	if file != "" {
		s.Evidence, err = h.readEvidence(file)
	} else {
		err = s.collect(ctx, req)
	}
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s, s.read()
}

func (s *Session) collect(ctx context.Context, req *collect.Request) error {
	tell, done := s.Host.Steps()
	defer done()
	r := s.Request
	req.Deep, req.Why, req.Memory, req.Killable, req.PSS = r.Deep, r.Why, r.Memory, r.Killable, r.PSS
	req.Servers, req.Packages = r.Servers, r.Packages
	if err := s.Host.Complete(req, r.Policy); err != nil {
		return err
	}
	req.Progress = tell
	s.Collected = req
	var err error
	s.Evidence, err = collect.Run(ctx, s.Host.Target, *req)
	return err
}

// Complete adds to a request what is the same for every look at this host.
func (h *Host) Complete(req *collect.Request, p *policy.Policy) error {
	var err error
	if req.Owners, err = h.owners(p); err != nil {
		return err
	}
	req.Tool, req.Measured, req.History = h.Tool(), h.MeasuredDirs(), h.peaks
	return nil
}

// read makes the snapshot from the evidence. An error is an archive that is none of a
// host: what is merely missing in it is a missing fact.
func (s *Session) read() (err error) {
	if s.Snapshot, err = snapshot.Read(s.Evidence); err != nil {
		return say.Err("evidence: {error}", "error", err)
	}
	return nil
}

// NewSession is a session of evidence that was read or made elsewhere.
func (h *Host) NewSession(a *evidence.Archive) (*Session, error) {
	s := &Session{Evidence: a, Host: h}
	return s, s.read()
}

// Describe is a session of a host that is not here, from its description, such as
// 'ram=64GB,cpus=16,storage=nvme,pg=17'.
func (h *Host) Describe(spec string) (*Session, error) {
	a, err := snapshot.Describe(spec)
	if err != nil {
		return nil, say.Usage(say.M("--for: {error}", "error", err), describeHint(spec))
	}
	return h.NewSession(a)
}

// describeHint shows how a host is described; the workload is given with flags.
func describeHint(spec string) say.Message {
	for word := range strings.SplitSeq(spec, ",") {
		key, val, _ := strings.Cut(strings.TrimSpace(word), "=")
		switch key {
		case "connections", "active", "profile":
			return say.M("Use the flag instead: --{flag} {value}", "flag", key, "value", val)
		}
	}
	return say.M("Describe the host as in --for 'ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,pg=17'.")
}

// EvidenceFile reports whether a target is an evidence file, and its name; "-" is standard input. An error is a target
// that is none.
func (h *Host) EvidenceFile(name string) (file string, err error) {
	_, file, err = h.Resolve(name)
	return file, err
}

// IsHere reports whether a target is examined from here, and no evidence file.
func (h *Host) IsHere(name string) bool {
	_, file, err := h.Resolve(name)
	return err == nil && file == ""
}

// Resolve says what a target means: a request to collect, or the name of an evidence
// file ("-" for standard input).
func (h *Host) Resolve(name string) (*collect.Request, string, error) {
	if name == "" {
		for _, v := range []string{"PGHOST", "PGPORT", "PGSERVICE"} {
			if h.Getenv(v) != "" {
				return &collect.Request{Kind: collect.Conninfo}, "", nil
			}
		}
		return &collect.Request{Kind: collect.Here}, "", nil
	}
	if name == "-" {
		return nil, name, nil
	}
	st, err := os.Stat(name)
	switch {
	case err == nil && st.IsDir():
		dir, err := dataDirectory(name)
		return &collect.Request{Kind: collect.DataDir, Value: dir}, "", err
	case err == nil && st.Mode().IsRegular():
		return nil, name, nil
	case err == nil:
		return nil, "", say.Usage(say.M("target {name} is neither a directory nor a regular file", "name",
			say.Quoted(name)),
			say.M(whatATargetIs))
	case strings.Contains(name, "=") || strings.Contains(name, "://"):
		return &collect.Request{Kind: collect.Conninfo, Value: name}, "", nil
	case errors.Is(err, fs.ErrPermission):
		return nil, "", &say.Problem{Message: say.M("could not open target {name}: permission denied", "name",
			say.Quoted(name)),
			Hint: say.M("Run pgfettle as root or as the owner of the data directory."), Code: say.CodeNoAccess}
	}
	hint := say.M(whatATargetIs)
	if dir := h.clusterData(name); dir != "" {
		hint = say.M("Use the data directory of the cluster: {dir}", "dir", dir)
	}
	return nil, "", say.Usage(say.M("target {name} does not exist", "name", say.Quoted(name)), hint)
}

// clusterData is the data directory of a cluster that is named as Debian's tools do, such as 17/main; "" if there is
// none.
func (h *Host) clusterData(name string) string {
	if !strings.Contains(name, "/") || h.Target == nil {
		return ""
	}
	for _, c := range distribution.Clusters(h.Target) {
		if c.Version+"/"+c.Name == name {
			return c.Data
		}
	}
	return ""
}

// dataDirectory returns the absolute path of a data directory.
func dataDirectory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", say.Err("data directory: {error}", "error", err)
	}
	_, err = os.Stat(filepath.Join(abs, "PG_VERSION"))
	switch {
	case err == nil:
		return abs, nil
	case errors.Is(err, fs.ErrPermission):
		return "", &say.Problem{Message: say.M("could not open data directory {dir}: permission denied", "dir",
			say.Quoted(dir)),
			Hint: say.M("Run pgfettle as root or as the owner of the data directory."), Code: say.CodeNoAccess}
	}
	return "", say.Usage(say.M("{dir} is not a data directory: it has no PG_VERSION", "dir", say.Quoted(dir)),
		say.M("Name the data directory of an instance. To find it, run in psql: SHOW data_directory"))
}
