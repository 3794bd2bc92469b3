// Package experiment holds the experiments that have a name: exercises that
// courses let everybody do once by hand, as data. Each says which two
// configurations it compares under which load, what is usually told of it, and
// what must be known before anybody acts upon its outcome. They run on scratch
// instances only.
package experiment

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Experiment is one of them.
type Experiment struct {
	Name     string
	Title    string
	Question string // what it answers
	A, B     string // the arms, as a person would type them; {memory/4} is a quarter of the memory
	Workload string
	Times    float64 // size of the database in memories of the machine; 0: Scale
	Scale    int     // of the workload, where Times is 0
	Clients  int     // 0: as many as usual
	Metric   string
	Design   string // "": chosen as for any other
	Protocol string // "": prepared
	Kernel   bool   // an arm needs something of the kernel, such as a pool of huge pages
	Told     string // what the course says will happen
	Expect   string // the direction, in words; no number is promised
	Caution  string // what must be known before acting upon it
}

// All returns them in the order of the course.
func All() []Experiment {
	return []Experiment{fsyncOff, synchronousCommit, reconnect, hugePages, randomPageCost, workMem}
}

// Find returns one by its name.
func Find(name string) (Experiment, bool) {
	for _, e := range All() {
		if e.Name == name {
			return e, true
		}
	}
	return Experiment{}, false
}

// Names are those of All.
func Names() []string {
	var out []string
	for _, e := range All() {
		out = append(out, e.Name)
	}
	return out
}

// most of shared_buffers that an experiment asks for: the page tables of a
// hundred backends that touch 8 GB are past a gigabyte, which shows what there is
// to show, and more only takes longer to fill.
const most = 8 * unit.GB

// Arms returns both configurations for a machine.
func (e Experiment) Arms(memory unit.Bytes) (a, b string) {
	quarter := min(memory/4, most) / unit.MB
	fill := strings.NewReplacer("{memory/4}", strconv.FormatInt(int64(quarter), 10)+"MB")
	return fill.Replace(e.A), fill.Replace(e.B)
}
