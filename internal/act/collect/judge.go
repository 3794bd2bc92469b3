package collect

import (
	"errors"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
)

// trusted reports whether something is done on behalf of an instance: its files are read, its server is asked, and the
// plans of this host count with it.
func (in *instance) trusted() bool { return in.distrust == nil && in.stranger == "" }

// accountOf finds out whose an instance is: the user that its postmaster runs as.
func (c *collector) accountOf(in *instance) {
	a, err := trust.Process(c.t, in.pid)
	if err == nil {
		in.account = a
		return
	}
	if c.root {
		in.distrust = refusal1("the account that it runs as is unknown: ", err)
	}
}

// refusal1 makes a refusal of any error.
func refusal1(what string, err error) *trust.Refusal {
	var no *trust.Refusal
	if errors.As(err, &no) {
		return no
	}
	return &trust.Refusal{Reason: what + plainly(err)}
}

// judge reports whether an instance whose account is known is that account's, and whether it counts. Without root there
// are no rights to lend: only the policy counts.
func (c *collector) judge(in *instance, proc string) {
	if c.root {
		if err := c.consistent(in, proc); err != nil {
			in.distrust = refusal1("", err)
			return
		}
	}
	if !c.root && c.req.Owners.Names == nil || in.account.UID < 0 {
		return
	}
	if ok, why := c.req.Owners.Counts(c.t, in.account, in.dataDir); !ok {
		in.stranger = why
	}
}

// consistent holds the data directory and the program of a postmaster against the
// account that it runs as.
func (c *collector) consistent(in *instance, proc string) error {
	removed := false
	for _, n := range in.notes {
		removed = removed || strings.HasPrefix(n, "the data directory was removed")
	}
	if in.dataDir != "" && !removed {
		if err := in.account.DataDir(in.view, in.dataDir); err != nil {
			return refusal1("its data directory cannot be looked at: ", err)
		}
	}
	// the link itself is followed, to the very file that runs
	exe, err := c.t.Stat(proc + "/exe")
	if err != nil {
		return nil // a program that cannot be seen is not run either
	}
	if exe.UID != 0 && exe.UID != in.account.UID {
		return &trust.Refusal{Reason: "it runs as " + in.account.String() + " from a program of " +
			trust.Of(exe.UID, exe.GID).String(),
			Hint: "let root or " + in.account.Name + " own the program"}
	}
	return nil
}

// stranger is an entry of strangers.json: an instance that nothing is done on behalf of. All of it comes from /proc.
type stranger struct {
	PID       int     `json:"pid"`
	Account   string  `json:"account"`
	UID       *int    `json:"uid,omitempty"`
	DataDir   *string `json:"data_directory,omitempty"`
	Port      *int    `json:"port,omitempty"`
	Processes int     `json:"processes"`
	Private   *int64  `json:"private,omitempty"` // bytes that its processes hold each for itself
	Shared    *int64  `json:"shared,omitempty"`  // bytes of shared memory that one of them has touched, at most
	HugePages *int64  `json:"huge_pages,omitempty"`
	Reason    string  `json:"reason"`
	Hint      string  `json:"hint,omitempty"`
	Suspect   bool    `json:"suspect"` // it contradicts itself; otherwise its owner is just not included
}

// part takes the strangers out of what was found, and writes them down. What they
// hold counts as that of any other program.
func (c *collector) part(found []*instance) []*instance {
	var kept []*instance
	list := []stranger{}
	for _, in := range found {
		if in.trusted() {
			kept = append(kept, in)
			continue
		}
		list = append(list, c.stranger(in))
	}
	if len(list) > 0 {
		c.json(strangersFile, list)
	}
	return kept
}

// strangersFile holds them.
const strangersFile = "strangers.json"

func (c *collector) stranger(in *instance) stranger {
	s := stranger{PID: in.pid, Account: "unknown", DataDir: unlessZero(in.dataDir), Port: unlessZero(in.port),
		Processes: len(in.processes)}
	if in.account.UID >= 0 {
		s.Account, s.UID = in.account.String(), &in.account.UID
	}
	switch {
	case in.distrust != nil:
		s.Reason, s.Hint, s.Suspect = in.distrust.Reason, in.distrust.Hint, true
	default:
		s.Reason, s.Hint = in.stranger,
			"name its data directory with --trust, or its account in the policy: [trust] owners = [\""+
				in.account.Name+"\"]"
	}
	prog := &program{pids: in.processes, RSS: 1 << 62}
	s.Private = c.private(prog)
	for _, pid := range in.processes {
		b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/status", maxFile)
		if err != nil {
			continue
		}
		keepLargest(&s.Shared, string(b), "RssShmem:")
		keepLargest(&s.HugePages, string(b), "HugetlbPages:")
	}
	for _, pid := range in.processes {
		if p, ok := c.stat(pid); ok && c.census.programs != nil {
			c.census.note(p, []byte("postgres"))
		}
	}
	return s
}

// keepLargest keeps the largest value of a line of /proc/PID/status in bytes.
func keepLargest(to **int64, status, name string) {
	for line := range strings.Lines(status) {
		v, ok := strings.CutPrefix(line, name)
		if !ok {
			continue
		}
		f := strings.Fields(v)
		if len(f) != 2 || f[1] != "kB" {
			continue
		}
		n, err := strconv.ParseInt(f[0], 10, 50)
		if err == nil && (*to == nil || n<<10 > **to) {
			n <<= 10
			*to = &n
		}
	}
}

// postmasterAgain examines a postmaster again.
func (c *collector) postmasterAgain(in *instance) *instance {
	proc, ok := c.stat(in.pid)
	if !ok || proc.start != in.start {
		return nil
	}
	return c.postmaster(proc, in.processes[1:])
}

var _ target.Target = closed{}
