package distribution

import (
	"context"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
)

// UnitOf returns the unit that would start the server of a data directory whose
// configuration file is config: Debian's, which names the cluster and not its directory,
// else the one that names the directory. "": none.
func UnitOf(ctx context.Context, t target.Target, config, dir string) string {
	if part := strings.Split(strings.TrimPrefix(config, ConfigRoot+"/"), "/"); len(part) == 3 {
		name := Cluster{Version: part[0], Name: part[1]}.Unit()
		if strings.TrimSpace(Systemctl(ctx, t, "show", "--property=LoadState", "--value", "--", name)) == "loaded" {
			return name
		}
	}
	for line := range strings.Lines(Systemctl(ctx, t, "list-units", "--type=service", "--all", "--no-legend", "--plain",
		"postgres*")) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || name[0] == '-' {
			continue
		}
		said := Systemctl(ctx, t, "show", "--property=Environment,ExecStart,LoadState", "--", name)
		for _, word := range strings.FieldsFunc(said, func(r rune) bool {
			return strings.ContainsRune(" =;\n\"'", r)
		}) {
			if path.Clean(word) == path.Clean(dir) {
				return name
			}
		}
	}
	return ""
}

// Systemctl returns what systemctl writes; "" if it fails, or systemd does not run this host.
func Systemctl(ctx context.Context, t target.Target, args ...string) string {
	if _, err := t.Stat("/run/systemd/system"); err != nil {
		return ""
	}
	out, err := t.Run(ctx, target.Command{Argv: append([]string{"systemctl"}, args...)})
	if err != nil || out.Code != 0 {
		return ""
	}
	return string(out.Stdout)
}
