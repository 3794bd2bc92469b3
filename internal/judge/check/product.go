package check

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Community reports whether numbers and dates of PostgreSQL's releases are those of the server. A product that was made
// from PostgreSQL has its own, and what they are is noted among the unknowns.
func (c *Case) Community() bool {
	p := c.Instance.Server.Product
	if p.Name == "" {
		return true
	}
	c.Missing(known.Gap{Fact: "releases",
		Reason: say.M("{product} has releases of its own; its vendor announces them", "product", p.Name).English()})
	return false
}
