package queryplan

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// oneCTable is a scan of a table of an object of a 1C application: a catalog, a document, a register.
var oneCTable = regex.New(` on (?:public\.)?_(reference|document|inforg|accumrg|acccrg|accrg|enum|chrc)[0-9]+`)

// OneC reports whether the plan reads tables of 1C:Enterprise, and whether it is as its platform plans, which turns
// merge joins off for its sessions: SETTINGS shows that.
func (p *Plan) OneC() (tables, asPlatform bool) {
	p.Root.Walk(func(n *Node) { tables = tables || oneCTable.MatchString(n.Head) })
	return tables, slices.Contains(p.Settings, Property{"enable_mergejoin", "off"})
}
