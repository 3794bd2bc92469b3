package check

// GeqoBeforeCollapse compares with the larger limit: explicit joins and lists of tables have one each.
var GeqoBeforeCollapse = Check{
	ID:       "geqo_before_collapse",
	Area:     Query,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "The genetic search comes before the collapse limit",
	Why: "From geqo_threshold tables on the planner searches the order of joins at random instead of trying all. Collapse limits above it are of " +
		"no use: the longer list that they allow goes to the random search, whose plan may change from one day to the next.",
	Do: "Set geqo_threshold above the larger collapse limit, or lower that limit: with join_collapse_limit = 20 planning of a query with 20 " +
		"tables may take seconds without geqo, so 10 to 12 with geqo_threshold one above is the calm choice.",
	Sources: []string{"pg-config-query", "its-1c"},
	Judge: func(c *Case) {
		set, ok := c.settings()
		if !ok {
			return
		}
		if on, _ := set.Bool("geqo"); !on {
			return
		}
		at, ok := set.Int("geqo_threshold")
		from, _ := set.Int("from_collapse_limit")
		join, _ := set.Int("join_collapse_limit")
		if ok && at <= max(from, join) {
			c.Found("geqo_threshold = {at} with from_collapse_limit = {from} and join_collapse_limit = {join}.", "at", at, "from", from, "join", join)
		}
	},
}
