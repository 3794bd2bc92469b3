package json

import (
	"io"
	"slices"

	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
)

// DemoSchema names the version of the JSON form.
const DemoSchema = "pgfettle.demo.oom/1"

// Demo writes what the exercise showed. No array is null.
func Demo(w io.Writer, d *oomresult.OOM) error {
	c := *d
	c.Rounds = slices.Clone(d.Rounds)
	for i := range c.Rounds {
		c.Rounds[i].Kernel = append([]string{}, c.Rounds[i].Kernel...)
		c.Rounds[i].Log = append([]string{}, c.Rounds[i].Log...)
		c.Rounds[i].Readings = append([]oomresult.Reading{}, c.Rounds[i].Readings...)
		for j := range c.Rounds[i].Readings {
			c.Rounds[i].Readings[j].Held = append([]oomresult.Context{}, c.Rounds[i].Readings[j].Held...)
		}
	}
	c.Rounds = append([]oomresult.Round{}, c.Rounds...)
	c.Swept, c.Removed = append([]string{}, c.Swept...), append([]string{}, c.Removed...)
	return Write(w, struct {
		Schema string `json:"schema"`
		*oomresult.OOM
	}{DemoSchema, &c})
}
