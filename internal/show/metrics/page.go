package metrics

import (
	"fmt"
	"strings"
)

const pageHead = `# Metrics

Made from the table of the code ` +
	`(` + "`make generate`" + `); do not edit. ` + "`pgfettle metrics`" + ` prints them ` +
	`once, ` + "`--textfile`" + ` writes
them for node_exporter, ` + "`pgfettle serve`" + ` answers them at ` + "`/metrics`" + `.

- A value that is not known is absent. It is never 0.
- Sizes are in bytes, times in ` +
	`seconds. ` + "`pg_instance`" + ` is the data directory of an instance, else its port; it is empty for
  what is of the host.
- However often it is scraped, pgfettle collects once a minute at most, one collection at a time, each for half a ` +
	`minute at
  most. What failed is told ` +
	`by ` + "`pgfettle_collection_success`" + `; the last values are shown for six minutes, then they are absent.
- ` + "`pgfettle_setting`" + ` and ` + "`pgfettle_setting_planned`" + ` have the same labels, so ` +
	`that ` + "`pgfettle_setting != pgfettle_setting_planned`" + `
  is what differs.

A dashboard for Grafana and alert rules for Prometheus are ` +
	`in ` + "`packaging/`" + `; the packages put both into ` + "`/usr/share/pgfettle`" + `.
`

// Page returns docs/metrics.md.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	group := ""
	for _, f := range Families() {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "\n## %s\n\n| metric | type | labels | description |\n|---|---|---|---|\n", group)
		}
		kind := "gauge"
		if f.Counter {
			kind = "counter"
		}
		labels := ""
		if len(f.Labels) > 0 {
			labels = "`" + strings.Join(f.Labels, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, kind, labels, f.Help)
	}
	return b.String()
}
