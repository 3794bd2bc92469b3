package shape

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// oneCTable is a scan of a table of an object of a 1C application: a catalog, a document, a register.
var oneCTable = regex.New(` on (?:public\.)?_(reference|document|inforg|accumrg|acccrg|accrg|enum|chrc)[0-9]+`)

// OneC reports whether a plan reads tables of 1C:Enterprise, and whether it is as its platform plans, which turns
// merge joins off for its sessions: SETTINGS shows that.
func OneC(p *queryplan.Plan) (tables, asPlatform bool) {
	p.Root.Walk(func(n *queryplan.Node) { tables = tables || oneCTable.MatchString(n.Head) })
	return tables, slices.Contains(p.Settings, queryplan.Property{Name: "enable_mergejoin", Text: "off"})
}
