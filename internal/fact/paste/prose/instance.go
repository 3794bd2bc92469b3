package prose

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/fact/cloud"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// byInstance is the note of numbers that no one measured or wrote.
const byInstance = "CPUs and memory are from the name of the instance type"

// instanceFacts are what the types in a line say; two of them are of two machines.
func instanceFacts(t string) (facts []part.Fact) {
	all := cloud.Instances(t)
	for _, x := range all {
		of := ""
		if len(all) > 1 {
			of = x.Name
		}
		facts = append(facts, part.Word("instance.type", of, x.Name))
		if x.CPUs > 0 {
			facts = append(facts, part.Count("stated.cpus", of, x.CPUs))
		}
		if x.Memory > 0 {
			facts = append(facts, part.Bytes("stated.memory", of, int64(math.Round(x.Memory*amount.GB))))
		}
	}
	return facts
}
