package collect

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/trust"
)

// beside returns the instance that a person has named, and with it what else of PostgreSQL is on the host: the other
// instances that run and count, and those that are to run and do not. Of these only what their memory depends on is
// asked.
func (c *collector) beside(in *instance) []*instance {
	if c.req.Memory || c.req.Alone {
		return []*instance{in}
	}
	out := []*instance{in}
	for _, other := range c.found {
		if other.pid != in.pid && other.trusted() {
			other.neighbour = true
			out = append(out, other)
		}
	}
	return append(out, c.stopped(append(slices.Clone(c.found), in))...)
}

// ours are those that a person asked for.
func ours(found []*instance) []*instance {
	return slices.DeleteFunc(slices.Clone(found), func(in *instance) bool { return in.neighbour })
}

// maxStopped bounds what is listed: a host has some ten clusters.
const maxStopped = 100

// stopped finds the instances that are started with the host and do not run now, but those that were found. Where the
// directory of one is not known, its service names it.
func (c *collector) stopped(found []*instance) []*instance {
	var out []*instance
	list := c.registry()
	for _, r := range list {
		real, err := c.t.Resolve(r.dir)
		if r.dir == "" || err != nil {
			real = r.dir
		}
		if !r.starts || len(out) == maxStopped || slices.ContainsFunc(append(slices.Clone(found), out...),
			func(in *instance) bool {
				return in.unit == r.unit || real != "" && !in.inside && (in.dataDir == real || in.dataDir == r.dir)
			}) {
			continue
		}
		in, err := c.instanceAt(nil, real)
		if real == "" || err != nil {
			in = &instance{view: closed{c.t}, dataDir: real, account: trust.Account{UID: -1}}
		}
		in.known(list, c.t.Resolve)
		in.neighbour, in.unit = true, r.unit
		out = append(out, in)
	}
	return out
}
