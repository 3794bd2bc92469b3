package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// OnlyRaised refuses a pin that would switch durability off. One that keeps off what is off is deliberate.
func OnlyRaised(c *Case, value string) error {
	have, _ := c.Text(c.Rule.Address)
	if on, ok := params.ParseBool(value); ok && !on && have != "off" {
		return say.Err("a plan never lowers durability")
	}
	return nil
}
