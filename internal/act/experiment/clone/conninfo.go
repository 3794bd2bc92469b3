package clone

import "github.com/pgfettle/pgfettle/internal/act/pgclient/conninfo"

// secrets are the keywords whose values other users of the host must not read: they can read the arguments of a
// program, but not its environment.
var secrets = map[string]string{"password": "PGPASSWORD", "sslpassword": ""} // libpq has no variable for the second

// split returns the arguments of pg_dump, and what goes into its environment.
func split(c conninfo.Pairs) (args, env []string) {
	var open conninfo.Pairs
	for _, p := range c {
		variable, secret := secrets[p.Name]
		switch {
		case !secret:
			open = append(open, p)
		case variable != "":
			env = append(env, variable+"="+p.Value)
		}
	}
	if len(open) > 0 {
		args = []string{"-d", open.String()}
	}
	return args, env
}
