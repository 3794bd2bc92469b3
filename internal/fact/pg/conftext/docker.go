package conftext

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	dockerSign = regex.New(`(?:^|[\s;&|(])(?:docker|podman|nerdctl)\s+(?:container\s+)?(?:run|create)\b`)
	// -m is the memory too; a line of a command that goes on may have either alone
	dockerMemory = regex.New(`(?:^|\s)(?:--memory|-m)(?:=|\s+)["']?(\d+(?:\.\d+)?)([bkmgBKMG])[bB]?["']?(?:\s|\\|$)`)
	dockerCPUs   = regex.New(`(?:^|\s)--cpus(?:=|\s+)["']?(\d+(?:\.\d+)?)["']?(?:\s|\\|$)`)
)

// dockerRun takes the limits of a container out of the command that starts it.
func (r *reader) dockerRun(n *Named) {
	within, cpus := false, 0
	for _, l := range r.lines {
		s := strings.TrimRight(l.text, " \t")
		if comment := strings.TrimSpace(s); comment == "" || comment[0] == '#' {
			continue
		}
		if within = within || dockerSign.MatchString(s); !within {
			continue
		}
		if m := dockerMemory.FindStringSubmatch(s); m != nil && n.RAM == 0 {
			if b := quantityOf(m[1], strings.ToLower(strings.Trim(m[2], "bB"))); b > 0 {
				n.RAM, n.RAMLine, n.Limit = b, l.n, true
			}
		}
		if m := dockerCPUs.FindStringSubmatch(s); m != nil {
			if f, err := strconv.ParseFloat(m[1], 64); err == nil && f >= 1 && f <= 8192 { // NR_CPUS at most
				cpus = int(f)
			}
		}
		within = strings.HasSuffix(s, "\\") || strings.HasSuffix(s, " `") // of PowerShell
		if !within && n.RAM > 0 {
			break
		}
		if !within {
			cpus = 0 // of another container
		}
	}
	if n.RAM > 0 && cpus > 0 {
		n.CPUs = cpus
	}
}
