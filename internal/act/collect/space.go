package collect

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// sharedMemory is where dynamic shared memory of parallel queries lies.
const sharedMemory = "/dev/shm"

// spaces asks for the size of the filesystems under the places of the
// instances, of their mount points and of /dev/shm, each once.
func (c *collector) spaces(found []*instance) {
	out := []host.Space{}
	seen := map[string]bool{}
	add := func(t target.Target, at, name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		s, err := t.Statfs(at)
		if err != nil {
			c.miss(path.Join("statfs", name), err, asRoot)
			return
		}
		out = append(out, host.Space{Path: name, Total: unit.Bytes(s.Total), Free: unit.Bytes(s.Free), Files: s.Files,
			FFree: s.FFree, Reflinks: s.Reflinks})
	}
	add(c.t, sharedMemory, sharedMemory)
	for _, in := range found {
		for i, p := range in.places {
			add(in.view, in.inner[i], p.Path)
			if m, ok := c.ourMounts().of(p.Path); ok && !in.inside {
				add(c.t, m.Point, m.Point)
			}
		}
		if in.inside {
			c.innerShm(in, add)
		}
	}
	c.json("statfs.json", out)
}

// innerShm adds a container's own /dev/shm, 64 MB by default in many, under
// the path by which the host sees it.
func (c *collector) innerShm(in *instance, add func(target.Target, string, string)) {
	st, err := in.view.Stat(sharedMemory)
	if err != nil {
		return
	}
	if name := c.hostPath(in, sharedMemory, st); name != sharedMemory {
		add(in.view, sharedMemory, name)
	}
}
