package apply

import "github.com/pgfettle/pgfettle/internal/fact/journal"

func of(c *journal.Change) step {
	return step{address: c.Address, instance: c.Instance, from: c.Before, to: c.After, effect: c.Effect}
}
