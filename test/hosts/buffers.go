package hosts

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// Buffers is the shared_buffers that a plan gives the instances of a host, by Instance.Key; nothing if there is no
// plan.
func Buffers(s *snapshot.Snapshot) map[string]unit.Bytes {
	out, err := rule.Decide(s, rules.All(), rule.Options{Profile: rule.Mixed})
	if err != nil {
		return nil
	}
	list := map[string]unit.Bytes{}
	for i := range s.Instances {
		if b, ok := sizing.Buffers(out, s.Instances[i].Key); ok {
			list[s.Instances[i].Key] = b
		}
	}
	return list
}
