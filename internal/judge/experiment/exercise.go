package experiment

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Exercise is one of them.
type Exercise struct {
	Name     string
	Title    say.Message
	Question say.Message // what it answers
	A, B     string      // the configurations, as a person would type them; {memory/4} is a quarter of the memory
	Workload string
	Times    float64 // size of the database in memories of the machine; 0: Scale
	Scale    int     // of the workload, if Times is 0
	Clients  int     // 0: as many as usual
	Metric   string
	Design   string      // "": chosen as for any other
	Protocol string      // "": prepared
	Restore  string      // "": as for any other
	Duration float64     // of a run, or of the slices of a configuration in a block, in seconds
	Warmup   float64     // the longest, in seconds
	Kernel   bool        // a configuration needs something of the kernel, such as a pool of huge pages
	Told     say.Message // what the course says will happen
	Expect   say.Message // the direction, in words; no number is promised
	Caution  say.Message // what must be known before acting upon it
}

// Exercises returns them in the order of the course.
func Exercises() []Exercise {
	return []Exercise{fsyncOff, synchronousCommit, reconnect, hugePages, randomPageCost, workMem, ioMethod,
		ioMethodSync}
}

// FindExercise returns one by its name.
func FindExercise(name string) (Exercise, bool) {
	for _, e := range Exercises() {
		if e.Name == name {
			return e, true
		}
	}
	return Exercise{}, false
}

// ExerciseNames are those of Exercises.
func ExerciseNames() []string {
	var out []string
	for _, e := range Exercises() {
		out = append(out, e.Name)
	}
	return out
}

// What the exercises on pgbench's tables have in common. Their effects are large, so they are short: each configuration
// has one copy of the data for the whole experiment, and its server stays up. (With fresh copies, and warm-ups of
// minutes before each block, one would take an hour and a half.)
const (
	shortRun    = 20 // four slices of 5 s
	shortWarmup = 30 // six windows of 5 s, the fewest that show whether the rate is flat
)

// What those on the tables of olap have in common: data of which two clients work through the list of queries in about
// ten seconds on two CPUs, so that a slice is one list.
const (
	listScale = 20 // 250 MB
	listRun   = 10
)

// mostBuffers is the most shared_buffers that an experiment asks for: the page tables of a
// hundred backends that touch 8 GB are past a gigabyte, which shows what there is
// to show, and more only takes longer to fill.
const mostBuffers = 8 * unit.GB

// Configurations returns both configurations for a machine.
func (e Exercise) Configurations(memory unit.Bytes) (a, b string) {
	quarter := min(memory/4, mostBuffers) / unit.MB
	fill := strings.NewReplacer("{memory/4}", strconv.FormatInt(int64(quarter), 10)+"MB")
	return fill.Replace(e.A), fill.Replace(e.B)
}
