package selection

import "github.com/pgfettle/pgfettle/internal/fact/journal"

func JournalStep(c *journal.Change) Step {
	return Step{address: c.Address, instance: c.Instance, from: c.Before, to: c.After, effect: c.Effect}
}
