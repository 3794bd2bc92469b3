package containers

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/table"
)

// A table of the resources of a container: a column of requests and one of limits, a row each for CPU and memory.
var (
	reCPUQuantity = regex.New(`^(\d{1,7}(?:\.\d{1,3})?)(m?)(?: ?(?:v?cpus?|v?cores?))?$`)
	reQuantity    = regex.New(`^(\d{1,9}(?:\.\d{1,3})?) ?(Ki|Mi|Gi|Ti|[kKMGT])?[bB]?$`)
)

// ReadResources reads a table of what a container asks for and may take.
func ReadResources(w *part.Window) (f part.Found) {
	head := table.Cells(w.Text(0), true)
	request, limit := -1, -1
	for i, c := range head {
		switch strings.TrimSuffix(strings.ToLower(strings.Trim(c, "*`_ ")), "s") {
		case "request":
			request = i
		case "limit":
			limit = i
		}
	}
	if limit < 1 || request < 0 && len(head) > 3 {
		return
	}
	for i := 1; i < len(w.Lines) && i < 12; i++ {
		if part.TableRule.MatchString(w.Text(i)) {
			continue
		}
		row := table.Cells(w.Text(i), true)
		if len(row) != len(head) {
			break
		}
		what := strings.ToLower(strings.Trim(row[0], "*`_ "))
		if request > 0 {
			resource(&f, what, "request", strings.Trim(row[request], "*`_ "))
		}
		resource(&f, what, "limit", strings.Trim(row[limit], "*`_ "))
		f.N = i + 1
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.Sure = part.Likely
	return f
}

// resource adds a request or a limit.
func resource(f *part.Found, what, kind, v string) {
	switch what {
	case "cpu", "cpus":
		m := reCPUQuantity.FindStringSubmatch(v)
		if m == nil {
			return
		}
		n, ok := amount.Decimal(m[1])
		if m[2] == "m" {
			n /= 1000
		}
		if ok {
			f.Add(part.Fact{Name: "container.cpu_" + kind, Value: n})
		}
	case "memory", "mem", "ram":
		if reQuantity.MatchString(v) {
			if a, ok := amount.Sized(strings.TrimSuffix(v, "B") + "B"); ok {
				f.Add(part.Bytes("container.memory_"+kind, "", a.Bytes))
			}
		}
	}
}
