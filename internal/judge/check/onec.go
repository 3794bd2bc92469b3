package check

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Profile returns the name of the profile that plans have, and whether it is that of 1C.
func (c *Case) Profile() (name string, oneC bool) {
	p := c.options.Plan.Profile
	if p == "" {
		p = rule.Mixed
	}
	return string(p), p == rule.OneC
}

// OneCSigns lists by what 1C:Enterprise is seen.
func OneCSigns(p pg.Platform) say.List {
	out := say.List{Most: 6}
	add := func(yes bool, m say.Message) {
		if yes {
			out.Items = append(out.Items, m)
		}
	}
	add(p.Sessions > 0, say.N(p.Sessions, "{n} session of its platform", "{n} sessions of its platform"))
	add(len(p.Infobases) > 0, say.M("infobases: {names}", "names", say.Names(p.Infobases, 4)))
	add(len(p.Extensions) > 0, say.M("extensions: {names}", "names", say.Names(p.Extensions, 0)))
	add(p.Types && len(p.Extensions) == 0, say.M("its types mchar or mvarchar"))
	add(p.Spaces, say.M("its tablespaces v81c_data or v81c_index"))
	add(p.Slots > 0, say.N(p.Slots, "{n} replication slot of dbcopies_decoding",
		"{n} replication slots of dbcopies_decoding"))
	return out
}
