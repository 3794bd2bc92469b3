// Command ask asks the calculators for the hosts of docs/plans.md and writes answers.tsv
// to stdout; tools/plans.sh installs what it runs.
//
//	ask PG-CONFIGURATOR
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/gen/plans"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: ask PG-CONFIGURATOR")
		os.Exit(2)
	}
	text, err := plans.Ask(func(h plans.Host, p rule.Profile) (plans.Values, error) {
		return configurator(os.Args[1], h, p)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
	fmt.Print(text)
}

// most is what pg-configurator says if it refuses the requested number of connections.
var most = regexp.MustCompile(`supports (\d+) connections`)

// configurator asks pg-configurator; where it refuses so many connections, for as many as
// it says that there is memory for.
func configurator(program string, h plans.Host, p rule.Profile) (plans.Values, error) {
	asked := h.Connections
	if p == rule.OneC {
		asked = min(asked, plans.ConfiguratorMost1C)
	}
	out, complaint, err := run(program, h, p, asked)
	if m := most.FindStringSubmatch(complaint); err != nil && m != nil {
		fewer, _ := strconv.Atoi(m[1])
		out, complaint, err = run(program, h, p, fewer)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, complaint)
	}
	v := plans.Values{}
	for line := range strings.Lines(out) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && !strings.HasPrefix(name, "#") {
			v[name] = strings.Trim(value, "'")
		}
	}
	if v["max_connections"] == strconv.Itoa(h.Connections) {
		delete(v, "max_connections")
	}
	if v["shared_buffers"] == "" {
		return nil, fmt.Errorf("no shared_buffers in its answer: %s", out)
	}
	return v, nil
}

func run(program string, h plans.Host, p rule.Profile, connections int) (out, complaint string, err error) {
	args := []string{
		"--db-cpu", strconv.Itoa(h.CPUs), "--db-ram", strconv.FormatInt(int64(h.RAM/unit.MB), 10) + "Mi",
		"--db-disk-type", plans.ConfiguratorDisk[h.Storage],
		"--db-duty", plans.ConfiguratorDuty[p], "--pg-version", strconv.Itoa(plans.Major), "--replication-mode", "none",
		"--min-conns", strconv.Itoa(connections), "--max-conns", strconv.Itoa(connections), "--output-format", "conf",
	}
	if p == rule.OneC {
		args = append(args, "--conf-profiles", "profile_1c")
	}
	cmd := exec.Command(program, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.String(), e.String(), err
}
