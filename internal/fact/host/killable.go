package host

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Killable is the processes of the host that the OOM killer would look at
// first, of whatever program.
type Killable struct {
	Seen      int       `json:"seen"`      // processes with memory of their own that were examined
	Processes []Process `json:"processes"` // those with the highest oom_score, and of equal ones the largest
}

// KillableFile lists them by number: it is the collector's own.
const KillableFile = "killable.json"

// MaxKillable is how many processes a collector keeps: oom_score is as coarse as
// a thousandth of the memory and swap, so that the order among its equals is
// decided by the files of each.
const MaxKillable = 20

// KillableFiles returns the evidence names of one of them. The command line is
// not among them: of another program it may hold passwords.
func KillableFiles(pid int) []string {
	p := "proc/" + strconv.Itoa(pid) + "/"
	return []string{p + "status", p + "oom_score_adj", p + "oom_score"}
}

// ReadKillable reads killable.json and the files of the processes that it lists. One that ended while they were read is
// omitted.
func ReadKillable(fsys fs.FS) known.Fact[Killable] {
	f := evidence.Read(fsys, KillableFile, func(b []byte) (Killable, error) {
		var list struct {
			Seen      int   `json:"seen"`
			Processes []int `json:"processes"`
		}
		if err := json.Unmarshal(b, &list); err != nil {
			return Killable{}, err
		}
		if n := len(list.Processes); n > MaxKillable || list.Seen < n {
			return Killable{}, fmt.Errorf("%d processes listed of %d", n, list.Seen)
		}
		k := Killable{Seen: list.Seen, Processes: []Process{}}
		for _, pid := range list.Processes {
			if pid <= 0 {
				return Killable{}, fmt.Errorf("process id %d", pid)
			}
			dir := "proc/" + strconv.Itoa(pid) + "/"
			p, ok := evidence.Read(fsys, dir+"status", ParseStatus).Get()
			if !ok || p.PID != pid {
				continue
			}
			p.OOMScoreAdj = evidence.Read(fsys, dir+"oom_score_adj", ParseOOM)
			p.OOMScore = evidence.Read(fsys, dir+"oom_score", ParseOOM)
			p.PSS = readPSS(fsys, dir)
			k.Processes = append(k.Processes, p)
		}
		return k, nil
	})
	if f.State() == known.Absent {
		return known.Missed[Killable](known.Gap{Fact: KillableFile,
			Reason: "the other processes of the host were not looked at",
			Reveal: "pgfettle diagnose memory, or a new pgfettle snapshot"})
	}
	return f
}
