package export

import (
	"io"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// dockerShm is the default size of a container's /dev/shm.
const dockerShm = 64 * unit.MB

var dockerForm = Form{
	Name: "docker", What: "arguments of docker run and a compose file",
	Label: "docker run, compose", Suffix: ".yml", OneInstance: true, Write: Docker,
}

// Docker writes the changes of one instance as the arguments of docker run, and
// the same for a compose file in comments.
func Docker(w io.Writer, p document.Plan, s *snapshot.Snapshot, key string) error {
	d := carry(p, s, inPieces)
	list := changesOf(d, key)
	var inside, outside []plan.Change
	for _, c := range ofHost(d) {
		if namespaced(c) {
			inside = append(inside, c)
		} else {
			outside = append(outside, c)
		}
	}
	if err := shellable("docker", append(append([]plan.Change{}, list...), inside...)); err != nil {
		return err
	}
	var b strings.Builder
	head(&b, "#", d, s, key, len(list)+len(inside))
	comment(&b, "#",
		"What follows -c wins over postgresql.conf and over ALTER SYSTEM. The container is made anew with these; "+
			"its data stays in its volume. Put the name of your image and your own options where IMAGE and … stand.",
		commentWidth)
	d.hugeFirst(&b, "#", s, key, "the host, whose kernel all containers share")
	d.leftOut(&b, "#", changeOf(key, true))
	shm, known := shmSize(d, s, key)
	if known {
		comment(&b, "#",
			"--shm-size is for what the workers of parallel queries share; the main shared memory is not in "+
				"/dev/shm. It is a bound, not a reservation.", commentWidth)
	} else {
		comment(&b, "#", "--shm-size is left out: the settings that it follows from are not known. Docker gives "+
			dockerShm.String()+", which parallel queries outgrow.", commentWidth)
	}
	args := []string{"docker run …"}
	if known {
		args = append(args, "--shm-size="+mebibytes(shm))
	}
	for _, c := range inside {
		args = append(args, "--sysctl "+shell.Quote(c.Address.Name()+"="+c.ToBase))
	}
	args = append(args, "IMAGE postgres")
	for _, c := range list {
		args = append(args, "-c "+shell.Quote(c.Address.Name()+"="+c.To))
	}
	b.WriteString("\n" + strings.Join(args, " \\\n  ") + "\n")
	compose(&b, list, inside, shm, known)
	d.spacePart(&b, "#", key)
	if len(outside) > 0 {
		d.Plan.Plan = &plan.Plan{Changes: outside}
		hostPart(&b, d, "the host, whose kernel all containers share")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// compose writes the same for a compose file, where $ begins a variable.
func compose(b *strings.Builder, list, inside []plan.Change, shm unit.Bytes, known bool) {
	b.WriteString("\n# The same in a compose file, below the service:\n")
	text := func(s string) string { return yamlString(strings.ReplaceAll(s, "$", "$$")) }
	if known {
		b.WriteString("#   shm_size: " + mebibytes(shm) + "\n")
	}
	if len(inside) > 0 {
		b.WriteString("#   sysctls:\n")
	}
	for _, c := range inside {
		b.WriteString("#     - " + text(c.Address.Name()+"="+c.ToBase) + "\n")
	}
	b.WriteString("#   command:\n#     - postgres\n")
	for _, c := range list {
		b.WriteString("#     - -c\n#     - " + text(c.Address.Name()+"="+c.To) + "\n")
	}
}

// namespaced reports whether a container has a kernel parameter for itself: those of System V IPC, POSIX message queues
// and the network are; vm is the host's.
func namespaced(c plan.Change) bool {
	name := c.Address.Name()
	if c.Address.Prefix() != "sysctl" {
		return false
	}
	for _, p := range []string{"kernel.msg", "kernel.sem", "kernel.shm", "fs.mqueue.", "net."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// wanted is a setting as the plan leaves it: planned, else as it is.
func wanted(d carried, s *snapshot.Snapshot, key, name string) (pg.Setting, bool) {
	for _, c := range d.Changes {
		if c.Key == key && c.Address.Prefix() == "pg" && c.Address.Name() == name {
			return pg.Setting{Name: name, Value: c.ToBase, Unit: c.Unit}, true
		}
	}
	in := s.Instance(key)
	if in == nil {
		return pg.Setting{}, false
	}
	settings, _ := in.Server.Settings.Get()
	v, ok := settings[name]
	return v, ok
}

// shmSize bounds what parallel queries keep in /dev/shm at once: as many as
// there are workers for, each with a shared hash table that leader and workers
// may each fill up to work_mem × hash_mem_multiplier, and one parallel VACUUM
// with its dead rows. False where a setting of it is not known.
func shmSize(d carried, s *snapshot.Snapshot, key string) (unit.Bytes, bool) {
	set := pg.Settings{}
	for _, name := range []string{"work_mem", "hash_mem_multiplier", "maintenance_work_mem", "max_parallel_workers",
		"max_parallel_workers_per_gather"} {
		v, ok := wanted(d, s, key, name)
		if !ok {
			return 0, false
		}
		set[name] = v
	}
	work, ok1 := set.Bytes("work_mem")
	hash, ok2 := set.Float("hash_mem_multiplier")
	maintenance, ok3 := set.Bytes("maintenance_work_mem")
	workers, ok4 := set.Int("max_parallel_workers")
	gather, ok5 := set.Int("max_parallel_workers_per_gather")
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 {
		return 0, false
	}
	processes := int64(0)
	if gather > 0 && workers > 0 {
		processes = workers + (workers+gather-1)/gather // and the leader of each
	}
	need := work.Scale(hash*float64(processes)) + maintenance
	return max(need, dockerShm).RoundUp(dockerShm), true
}

// mebibytes spells an amount for docker and compose, which both read 512m.
func mebibytes(b unit.Bytes) string { return strconv.FormatInt(int64(b/unit.MB), 10) + "m" }
