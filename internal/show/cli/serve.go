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
		Short: "Show check, plan, memory and history as pages for a browser",
		Long: `Answer a browser with the same documents that the commands write: overview,
findings, plan, plan for another host, memory as it is now, history, experiments, the
pages of explain, and a report on what was pasted of another host, as by 'pgfettle read'.
It reads only: no address changes anything, and what would is shown as a command to
type. The pages work without script.

The host is looked at when a page is asked for, by one look at a time that is shown
again for some seconds. The history is what 'pgfettle watch' has written.

Pages show what the account sees that runs this, so other accounts have to say a
token. Without --token-file one is made at each start: on a terminal it stands in the
address that is printed, else in a file for this account alone, which is named; a
service of systemd has it in $RUNTIME_DIRECTORY/token. A browser keeps a session of 12
hours; programs send 'Authorization: Bearer TOKEN'.

--socket listens on a unix socket that this account alone may open. It asks this
account and root for nothing; with --socket-group others may open it, and are asked for
the token. On a loopback address --no-token lets in every account of this host; root
may say so only of an evidence file. From another host come by
ssh -L 8432:127.0.0.1:8432. Any other address needs --token-file, and either TLS or a
proxy before it that encrypts (--behind-proxy).

A request must name this server as it is known: by its address, localhost, or a
--host. Other names are refused, as a page of another site could have its name
pointed here. A proxy must pass the Host on.

The server ends with Ctrl-C or SIGTERM, the latter with exit code 0.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle serve
  pgfettle serve --listen '[::1]:8500' --experiments ./experiments
  pgfettle serve --socket /run/pgfettle-serve.sock --socket-group dba
  pgfettle serve --listen 10.0.0.5:8432 --token-file token --tls-cert cert.pem --tls-key key.pem
  pgfettle serve --token-file token --behind-proxy --host db1.example.org
  pgfettle serve host.evidence`,
		Args: atMost(1, "one TARGET at most"),
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
		"where it is: `ADDRESS:PORT`, or the path of a unix socket")
	f.StringVar(&o.socket, "socket", "", "listen on the unix socket `PATH`, for this account alone")
	f.StringVar(&o.listen.Group, "socket-group", "", "let the `GROUP` open the socket, and ask it for the token")
	f.StringSliceVar(&o.listen.Hosts, "host", nil,
		"a further `NAME` that it is asked for by: the one in the browser's address")
	f.StringVar(&o.listen.TokenFile, "token-file", "",
		"ask for the token that is in `FILE`, of 16 characters at least (default: one made at the start)")
	f.BoolVar(&o.listen.NoToken, "no-token", false, "on a loopback address, let in every account of this host")
	f.StringVar(&o.listen.Cert, "tls-cert", "", "the certificate with its chain, PEM `FILE`")
	f.StringVar(&o.listen.Key, "tls-key", "", "its key, PEM `FILE`")
	f.BoolVar(&o.listen.BehindProxy, "behind-proxy", false, "a proxy before it encrypts; needs --token-file")
	f.StringVar(&o.history, "history", "", "the history in `FILE` (default: where 'pgfettle watch' writes it)")
	f.StringVar(&o.experiments, "experiments", "", "show the experiments below `DIR`, those of 'pgfettle prove'")
	f.BoolVar(&o.deep, "deep", false, "also ask, in every database, what grows with the number of tables")
	o.policy.flags(cmd)
	return cmd
}

func runServe(ctx context.Context, env *Env, o *serveOptions) error {
	if err := o.listen.Check(); err != nil {
		return err
	}
	if o.target == "-" {
		return say.Usage("evidence on stdin can be read once, and pages are asked for again",
			"write it to a file and name that")
	}
	file, err := env.host().EvidenceFile(o.target)
	if err != nil { // before anything listens
		return err
	}
	if o.listen.NoToken && file == "" && env.Target.UID() == 0 {
		return &say.Problem{Message: "--no-token: every account of this host would see what root sees",
			Hint: "leave it out, or run pgfettle as an account that sees less", Code: exitRefused}
	}
	if _, err := o.policy.load(env, site(env, o.target)); err != nil {
		return err
	}
	so := serve.Options{Site: o.site(env), Target: o.target, Listen: o.listen, History: o.history, Words: env.words,
		Version: Version,
		Now:     env.Target.Now, Tell: func(s string) { env.tell("warning", s) }, Context: ctx}
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
			return &say.Problem{Message: fmt.Sprintf("--experiments: %q: permission denied", o.experiments),
				Hint: "run pgfettle as who may read it", Code: exitNoAccess}
		case err != nil || !st.IsDir():
			return say.Usage(fmt.Sprintf("--experiments: %q is no folder", o.experiments),
				"name the folder that holds those of 'pgfettle prove'")
		}
		if so.Experiments, err = filepath.Abs(o.experiments); err != nil {
			return fmt.Errorf("--experiments: %w", err)
		}
	}
	err = serve.New(so).Serve(ctx, func(address string) {
		fmt.Fprintf(env.Stderr, "pgfettle: serving %s (Ctrl-C ends)%s\n", token.in(address), token.beside(address))
	})
	if err != nil {
		return err
	}
	return stopped(ctx)
}

// stopped is the end of a command whose only end is that somebody stops it: with
// 130 where a person interrupted it, and well where a service manager did.
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
