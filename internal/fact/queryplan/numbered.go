package queryplan

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// lineNumber is the number of a line that a person put before it.
var lineNumber = regex.New(`^ *(\d{1,4})([.)]?)(?: |$)`)

// leastNumbered lines that count from one, or above it, are no figures.
const leastNumbered = 3

// withoutNumbers takes the numbers off the lines of a plan: they go up by one, and a node is among the lines.
func withoutNumbers(lines []string) {
	for i := 0; i < len(lines); {
		last, nodes, j := 0, false, i
		for ; j < len(lines); j++ {
			m := lineNumber.FindStringSubmatchIndex(lines[j])
			if m == nil {
				break
			}
			n, err := strconv.Atoi(lines[j][m[2]:m[3]])
			if err != nil || j > i && n != last+1 {
				break
			}
			last, nodes = n, nodes || markAt(lines[j]) > 0
		}
		if j-i >= leastNumbered && nodes {
			for k := i; k < j; k++ {
				lines[k] = lines[k][lineNumber.FindStringSubmatchIndex(lines[k])[5]:]
			}
		}
		i = max(j, i+1)
	}
}
