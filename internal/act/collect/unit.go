package collect

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// unitProperties are what is asked of the unit that runs an instance.
var unitProperties = []string{
	"Id", "LoadState", "ActiveState", "Result", "FragmentPath", "DropInPaths", "NeedDaemonReload",
	"OOMPolicy", "OOMScoreAdjust", "ManagedOOMSwap", "ManagedOOMMemoryPressure", "ManagedOOMPreference",
	"MemoryMax", "MemoryHigh", "MemorySwapMax", "TasksMax", "LimitNOFILE", "LimitMEMLOCK", "LimitNPROC", "LimitCORE",
	"LimitAS",
	"NUMAPolicy", "NUMAMask", // since 243
	"TimeoutStartUSec", "TimeoutStopUSec", "KillMode", "Restart", "Type", "User",
	"Environment", // only whether PG_OOM_ADJUST_FILE is in it: see withoutEnvironment
}

// systemctlTimeout bounds the question: systemd answers in milliseconds, on a host that is short of CPUs in seconds,
// and one that hangs must not hold everything up.
const systemctlTimeout = 10 * time.Second

// unitOf returns the service that a process belongs to, by its cgroup; "" if it is none, or one of a person's session.
func (c *collector) unitOf(pid int) string {
	b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/cgroup", maxFile)
	if err != nil {
		return ""
	}
	return unitIn(string(b))
}

func unitIn(cgroup string) string {
	for line := range strings.Lines(cgroup) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 || f[1] != "" && f[1] != "name=systemd" {
			continue
		}
		parts := strings.Split(f[2], "/")
		for i := len(parts) - 1; i >= 0; i-- {
			name, ok := strings.CutSuffix(parts[i], ".service")
			if ok && name != "" && name[0] != '-' && !strings.HasPrefix(name, "user@") &&
				!strings.HasPrefix(f[2], "/user.slice/") {
				return parts[i]
			}
		}
	}
	return ""
}

// askSystemd asks systemd for the units of the instances. The channel yields
// one archive with the answers.
func (c *collector) askSystemd(ctx context.Context, found []*instance) <-chan *evidence.Archive {
	out := make(chan *evidence.Archive, 1)
	units := map[string]bool{}
	for _, in := range found {
		if in.unit != "" && !in.inside {
			units[in.unit] = true
		}
	}
	if len(units) == 0 || !c.systemd() {
		out <- evidence.New()
		close(out)
		return out
	}
	go func() {
		defer close(out)
		a := evidence.New()
		for u := range units {
			name := "cmd/systemctl-show-" + u
			if m := showUnit(ctx, c.t, a, name, u); m != "" {
				a.AddMissing(evidence.Missing{Name: name, State: known.Unread, Reason: m,
					Reveal: "systemctl show " + u})
			}
		}
		out <- a
	}()
	return out
}

func showUnit(ctx context.Context, t target.Target, a *evidence.Archive, name, unit string) (problem string) {
	o, err := t.Run(ctx, target.Command{
		Argv: []string{"systemctl", "show", "--no-pager", "--property=" + strings.Join(unitProperties, ","),
			"--", unit},
		Timeout: systemctlTimeout,
	})
	if err == nil && o.Code == 0 {
		err = a.Add(name, withoutEnvironment(o.Stdout))
	}
	switch {
	case err != nil:
		return err.Error()
	case o.Code != 0:
		return "systemctl: " + strings.TrimSpace(string(bytes.ToValidUTF8(o.Stderr, nil)))
	}
	return ""
}

// withoutEnvironment replaces the unit's environment, which may hold secrets,
// by the one thing that matters in it.
func withoutEnvironment(show []byte) []byte {
	var out []byte
	for line := range bytes.Lines(show) {
		if v, ok := bytes.CutPrefix(line, []byte("Environment=")); ok {
			line = []byte("EnvironmentHasPGOOMAdjustFile=no\n")
			if bytes.Contains(v, []byte("PG_OOM_ADJUST_FILE=")) {
				line = []byte("EnvironmentHasPGOOMAdjustFile=yes\n")
			}
		}
		out = append(out, line...)
	}
	return out
}
