package hosts

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Buffers is the shared_buffers that a plan gives the instances of a host, by
// Instance.Key; nothing where there is no plan.
func Buffers(s *snapshot.Snapshot) map[string]unit.Bytes {
	out, err := rule.Decide(s, rule.All(), rule.Options{Profile: rule.Mixed})
	if err != nil {
		return nil
	}
	list := map[string]unit.Bytes{}
	for i := range s.Instances {
		if b, ok := out.Buffers(s.Instances[i].Key); ok {
			list[s.Instances[i].Key] = b
		}
	}
	return list
}
