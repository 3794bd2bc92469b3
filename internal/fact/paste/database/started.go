package database

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/containers"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// Parameters that a server is started with: -c name=value in a command, and in the lists of
// compose files and manifests.
var (
	reFlagAlone = regex.New(`^- ["']?-c["']?,?$|^["']-c["'],?$`)
	reFlagValue = regex.New(`^(?:- )?["']?([a-zA-Z_][\w.]{1,62})\s?=\s?([^"',\]]+)["']?,?$`)
	reFlagsHead = regex.New(`^(?:- )?["']?(?:command|args|cmd|entrypoint)["']?\s?:\s*(?:[>|\[]-?)?$`)
	reFlagsName = regex.New(`^(?:- )?["']?(?:docker-entrypoint\.sh|/usr/\S+/postgres|postgres)["']?,?$`)
	reStarts    = regex.New(`\b(?:docker|podman)\s+run\b|\bpostgres(?:ql)?\b|\bpg_ctl\b|\bPOSTGRES_INITDB_ARGS\b`)
)

// flags adds the parameters that a line sets, and says how many.
func flags(f *part.Found, t string) int {
	n := 0
	for _, x := range setting.Flags(t) {
		if flag(f, x[0], x[1]) {
			n++
		}
	}
	return n
}

func flag(f *part.Found, name, value string) bool {
	if !setting.Known(name) || !setting.Plausible(name, value) {
		return false
	}
	f.Add(setting.Of(name, value, ""))
	f.Body = append(f.Body, name+" = '"+strings.ReplaceAll(value, "'", "''")+"'")
	return true
}

const ofStart = "these parameters are on the command line that starts a server"

// ReadFlags reads such a list, or lines that have them.
func ReadFlags(w *part.Window) (f part.Found) {
	t := w.Text(0)
	if f = glued(t); f.N > 0 {
		return f
	}
	if !strings.Contains(t, "-c") && !reFlagsHead.MatchString(t) && !reFlagsName.MatchString(t) {
		return
	}
	f.Body = []string{}
	for i := 0; i < len(w.Lines) && w.Lines[i].Is == part.Content; i++ {
		t := w.Text(i)
		if len(f.Facts) == 0 && i > part.MostHeads {
			return part.Found{}
		}
		switch {
		case reFlagAlone.MatchString(t):
			m := reFlagValue.FindStringSubmatch(w.Text(i + 1))
			if m == nil {
				return started(&f)
			}
			if flag(&f, m[1], strings.TrimSpace(m[2])) || strings.Contains(m[1], ".") || setting.Known(m[1]) {
				i++
				f.N = i + 1
				continue
			}
			return started(&f)
		case strings.Contains(t, "-c") || strings.Contains(t, "--"):
			if flags(&f, t) == 0 {
				return started(&f)
			}
			if i == 0 {
				containers.Image(&f, t)
			}
			f.N = i + 1
		case (reFlagsHead.MatchString(t) || reFlagsName.MatchString(t)) && len(f.Facts) == 0:
		default:
			return started(&f)
		}
	}
	return started(&f)
}

func started(f *part.Found) part.Found {
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.Sure, f.Kind, f.Notes = part.Likely, part.PostgresConf, []string{ofStart}
	return *f
}

// StartedBy reads the parameters in a command that starts a server.
func StartedBy(command string) (f part.Found) {
	run := strings.Contains(command, " run ")
	if !run && !strings.Contains(command, "-c") || len(command) > prompt.MaxCommand || !reStarts.MatchString(command) ||
		strings.HasPrefix(command, "psql") {
		return
	}
	f.Body = []string{}
	n := flags(&f, command)
	if run && containers.Image(&f, command) {
		containers.RunFlags(&f, command)
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.N = 1
	if n == 0 {
		f.Kind, f.Sure = part.Inspect, part.Likely
		return f
	}
	return started(&f)
}

// reGlued is /proc/PID/cmdline, whose words a terminal shows without what parts them.
var reGlued = regex.New(`^(?:/\S*/)?postgres(?:-D(/[^\s]*?))?((?:--[a-z][\w.-]{1,62}=[^\s]*)+)$`)

// glued reads it.
func glued(t string) (f part.Found) {
	if strings.Count(t, "--") < 2 || len(t) > prompt.MaxCommand {
		return
	}
	m := reGlued.FindStringSubmatch(t)
	if m == nil {
		return
	}
	f.Body = []string{}
	for s := range strings.SplitSeq(m[2], "--") {
		name, value, _ := strings.Cut(s, "=")
		flag(&f, strings.ReplaceAll(name, "-", "_"), value)
	}
	if m[1] != "" && len(f.Facts) > 0 {
		f.Add(part.Word("data_directory", "", m[1]))
	}
	f.N = 1
	return started(&f)
}
