package collect

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// processFiles copies what the readers want of each process of an instance. A
// backend that ended meanwhile is dropped from the list: it is no gap.
func (c *collector) processFiles(in *instance) {
	if in.pid == 0 {
		return
	}
	alive := in.processes[:0]
	for _, pid := range in.processes {
		if c.oneProcess(pid) {
			alive = append(alive, pid)
		}
	}
	in.processes = alive
	for _, name := range host.PostmasterFiles(in.pid) {
		c.take(name)
	}
	c.cgroupFiles(in.pid)
}

func (c *collector) oneProcess(pid int) bool {
	for i, name := range host.ProcessFiles(pid) {
		b, err := c.t.ReadFile(name, maxFile)
		switch {
		case err == nil && strings.HasSuffix(name, "/cmdline"):
			c.add(name, withoutSecrets(b))
		case err == nil:
			c.add(name, b)
		case i == 0 && gone(err):
			return false
		default:
			c.miss(name, err, asRoot)
		}
	}
	return true
}

// innerMounts reads the mount table of a process in another mount namespace.
func (c *collector) innerMounts(pid int) mountTable {
	b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/mountinfo", maxFile)
	if err != nil || len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	return parseMounts(b)
}
