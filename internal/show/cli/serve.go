package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/metrics"
	"github.com/pgfettle/pgfettle/internal/show/serve"
)

type serveOptions struct {
	target      string
	listen      serve.Listen
	socket      string
	history     string
	experiments string
	deep        bool
	policy      policyOptions
}

func newServe(env *Env) *cobra.Command {
	o := &serveOptions{}
	cmd := &cobra.Command{
		Use:   "serve [TARGET]",
		Short: "Serve findings, plan, memory and history to a browser",
		Long: `Serve pages to a browser, with the same contents as the output of the commands:
overview, findings, plan, plan for another host, current memory, history,
experiments, explain, and a report on pasted command output (as pgfettle read).
All pages are read-only: changes are shown as commands to run. They work without
JavaScript.

The host is queried when a page is requested, one request at a time. The result
is reused for some seconds. The history is that of pgfettle watch.

Pages show what the serving account can see, so other accounts need a token.
Without --token-file, a new one is made at each start. On a terminal, it is part
of the printed address. Otherwise, it is in a file that only this account can
read, whose name is printed; for a systemd service in $RUNTIME_DIRECTORY/token.
A browser session lasts 12 hours. Programs send "Authorization: Bearer TOKEN".

--socket listens on a Unix socket that only this account can open. This account
and root need no token. --socket-group allows a group to open it, with the
token. On a loopback address, --no-token allows every account of this host; root
can use it only for evidence files.

From another host, use ssh -L 8432:127.0.0.1:8432. Other listen addresses
require --token-file, and either TLS or a proxy that terminates TLS
(--behind-proxy).

Requests must name this server by its address, localhost, or a --host name.
Other Host headers are rejected, to prevent DNS rebinding. A proxy must pass the
Host header on.

The server stops on Ctrl-C (exit status 130) or SIGTERM (exit status 0).

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle serve
  pgfettle serve --listen '[::1]:8500' --experiments ./experiments
  pgfettle serve --socket /run/pgfettle-serve.sock --socket-group dba
  pgfettle serve --listen 10.0.0.5:8432 --token-file token \
      --tls-cert cert.pem --tls-key key.pem
  pgfettle serve --token-file token --behind-proxy --host db1.example.org
  pgfettle serve host.evidence`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			if err := o.place(cmd.Flags().Changed("listen"), cmd.Flags().Changed("socket")); err != nil {
				return err
			}
			return runServe(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen.Address, "listen", "127.0.0.1:8432",
		"`ADDR:PORT` listen address, or the path of a Unix socket")
	f.StringVar(&o.socket, "socket", "", "`PATH` listen on a Unix socket, for this account only")
	f.StringVar(&o.listen.Group, "socket-group", "", "`GROUP` allow this group on the socket, with the token")
	f.StringSliceVar(&o.listen.Hosts, "host", nil,
		"`NAME` additional accepted Host header (repeatable)")
	f.StringVar(&o.listen.TokenFile, "token-file", "",
		"`FILE` require the token in FILE, at least 16 characters (default a new one at each start)")
	f.BoolVar(&o.listen.NoToken, "no-token", false, "on a loopback address, allow every account of this host")
	f.StringVar(&o.listen.Cert, "tls-cert", "", "`FILE` TLS certificate chain (PEM)")
	f.StringVar(&o.listen.Key, "tls-key", "", "`FILE` TLS private key (PEM)")
	f.BoolVar(&o.listen.BehindProxy, "behind-proxy", false, "TLS is terminated by a proxy; requires --token-file")
	f.StringVar(&o.history, "history", "", "`FILE` history file (default that of pgfettle watch)")
	f.StringVar(&o.experiments, "experiments", "", "`DIR` show the pgfettle prove experiments below DIR")
	f.BoolVar(&o.deep, "deep", false, deepHelp)
	o.policy.flags(cmd)
	return cmd
}

func runServe(ctx context.Context, env *Env, o *serveOptions) error {
	if err := o.listen.Check(); err != nil {
		return err
	}
	if o.target == "-" {
		return say.Usage(say.M("cannot serve evidence from stdin"),
			say.M("Save the evidence in a file, and name the file."))
	}
	file, err := env.host().EvidenceFile(o.target)
	if err != nil { // before anything listens
		return err
	}
	if o.listen.NoToken && file == "" && env.Target.UID() == 0 {
		return &say.Problem{Message: say.M("--no-token would let every account of this host see what root sees"),
			Hint: say.M("Omit --no-token, or run pgfettle as an unprivileged account."), Code: exitRefused}
	}
	if _, err := o.policy.load(env, site(env, o.target)); err != nil {
		return err
	}
	so := serve.Options{Site: o.site(env), Target: o.target, Listen: o.listen, History: o.history, Words: env.words,
		Fixed: env.Lang != "", Version: Version,
		Now: env.Target.Now, Tell: func(s string) { env.tell(kindWarning, gapwords.Of(s)) }, Context: ctx}
	token, err := o.token(env)
	if err != nil {
		return err
	}
	defer token.remove()
	so.Token = token.is
	source, err := metricsSource(ctx, o.quiet(env), &planOptions{target: o.target, profile: string(rule.Mixed),
		dedicated: true, deep: o.deep, policy: o.policy}, "")
	if err != nil {
		return err
	}
	so.Metrics = metrics.Handler(source)
	if so.History == "" {
		so.History, _ = env.host().HistoryPath() // without HOME there is none, and the page says so
	}
	if o.experiments != "" {
		st, err := os.Stat(o.experiments)
		switch {
		case errors.Is(err, os.ErrPermission):
			return &say.Problem{Message: say.M("--experiments: could not open {experiments}: permission denied",
				"experiments", say.Quoted(o.experiments)),
				Hint: say.M("Run pgfettle as a user with read permission."), Code: exitNoAccess}
		case err != nil || !st.IsDir():
			return say.Usage(say.M("--experiments: {experiments} is not a directory", "experiments",
				say.Quoted(o.experiments)),
				say.M("Name the directory that contains results of pgfettle prove."))
		}
		if so.Experiments, err = filepath.Abs(o.experiments); err != nil {
			return fmt.Errorf("--experiments: %w", err)
		}
	}
	err = serve.New(so).Serve(ctx, func(address string) {
		fmt.Fprintln(env.Stderr, "pgfettle: "+token.serving(address).In(env.words))
	})
	if err != nil {
		return err
	}
	return stopped(ctx)
}

// stopped is the end of a command that runs until it is stopped: with status 130 if a
// user interrupted it, and 0 if a service manager did.
func stopped(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()+" ") {
		return errEnded
	}
	return errWatched
}

// quiet is the environment of what a page asks for: stderr is for what goes wrong
// with the server, not for what is being read.
func (o *serveOptions) quiet(env *Env) *Env {
	quiet := *env
	quiet.Stderr = io.Discard
	return &quiet
}

// site is the target as pages ask for it.
func (o *serveOptions) site(env *Env) *app.Served {
	return &app.Served{Host: o.quiet(env).host(), Target: o.target, Deep: o.deep, Policy: o.policy.choice()}
}
