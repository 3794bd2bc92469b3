package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A table of the resources of a container: a column of requests and one of limits, a row each for CPU and memory.
var (
	reCPUQuantity = regex.New(`^(\d{1,7}(?:\.\d{1,3})?)(m?)(?: ?(?:v?cpus?|v?cores?))?$`)
	reQuantity    = regex.New(`^(\d{1,9}(?:\.\d{1,3})?) ?(Ki|Mi|Gi|Ti|[kKMGT])?[bB]?$`)
)

func readResources(w *window) (f found) {
	head := cells(w.t(0), true)
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
	for i := 1; i < len(w.lines) && i < 12; i++ {
		if reTableRule.MatchString(w.t(i)) {
			continue
		}
		row := cells(w.t(i), true)
		if len(row) != len(head) {
			break
		}
		what := strings.ToLower(strings.Trim(row[0], "*`_ "))
		if request > 0 {
			f.resource(what, "request", strings.Trim(row[request], "*`_ "))
		}
		f.resource(what, "limit", strings.Trim(row[limit], "*`_ "))
		f.n = i + 1
	}
	if len(f.facts) == 0 {
		return found{}
	}
	f.sure = Likely
	return f
}

// resource adds a request or a limit.
func (f *found) resource(what, kind, v string) {
	switch what {
	case "cpu", "cpus":
		m := reCPUQuantity.FindStringSubmatch(v)
		if m == nil {
			return
		}
		n, ok := decimal(m[1])
		if m[2] == "m" {
			n /= 1000
		}
		if ok {
			f.add(Fact{Name: "container.cpu_" + kind, Value: n})
		}
	case "memory", "mem", "ram":
		if reQuantity.MatchString(v) {
			if a, ok := sized(strings.TrimSuffix(v, "B") + "B"); ok {
				f.add(exact("container.memory_"+kind, "", a.bytes))
			}
		}
	}
}
