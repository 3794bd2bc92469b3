package cli

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/app"
)

// targetHelp is in the help of every command that takes a TARGET.
const targetHelp = watchedTargetHelp + `
  an evidence file   written by pgfettle snapshot; - reads it from stdin`

// watchedTargetHelp is targetHelp without evidence, which holds one moment only.
const watchedTargetHelp = `TARGET is one of
  (none)             this host and all its running instances; if PGHOST, PGPORT
                     or PGSERVICE is set, the server that they name
  a data directory   its instance, running or not, and this host
  a conninfo         'host=db1 dbname=postgres' or postgresql://…; for a remote
                     server, facts of its host are unavailable`

// liveTargetHelp is targetHelp of commands that look at one running instance.
const liveTargetHelp = `TARGET is one of
  (none)             this host and its running instance; if PGHOST, PGPORT or
                     PGSERVICE is set, the server that they name
  a data directory   its instance, and this host
  a conninfo         'host=db1 dbname=postgres' or postgresql://…; for a remote
                     server, facts of its host are unavailable`

// deepHelp is the help of --deep.
const deepHelp = "also query every database: sizes, bloat, indexes (slower)"

// trustHelp is the help of --trust.
const trustHelp = "`DATADIR` let root query and plan for this instance, whatever account owns it " +
	"(repeatable; for accounts: [trust] owners in the policy)"

// host is where the use cases run: this host, with what the person said of it.
func (e *Env) host() *app.Host {
	return &app.Host{Target: e.Target, Vars: e.Vars, Version: Version, Trusted: e.Trusted, Input: e.Stdin,
		Progress: e.Progress, Words: e.words, Warn: e.tell}
}

// loaded is what a command looks at.
type loaded = app.Session

// load collects or reads what a TARGET names.
func load(ctx context.Context, env *Env, arg string, deep bool) (*loaded, error) {
	return loadAs(ctx, env, app.Request{Target: arg, Deep: deep})
}

// loadAs is load with more to say of what is collected.
func loadAs(ctx context.Context, env *Env, r app.Request) (*loaded, error) {
	r.Policy = env.site
	return env.host().Open(ctx, r)
}

// describe loads a host that is not here from its description.
func describe(env *Env, spec string) (*loaded, error) { return env.host().Describe(spec) }

// site reports whether a target is examined from here, and no evidence file.
func site(env *Env, target string) bool { return env.host().IsHere(target) }

// today is the day of the clock of this host, as a policy writes it.
func today(env *Env) string { return env.host().Today() }
