package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

type snapshotOptions struct {
	target string
	out    string
	force  bool
	redact bool
	deep   bool
}

// redactHelp is the help of --redact.
const redactHelp = "replace names of databases, roles, tables and the host with pseudonyms"

func newSnapshot(env *Env) *cobra.Command {
	o := &snapshotOptions{}
	cmd := &cobra.Command{
		Use:   "snapshot [TARGET]",
		Short: "Collect host and server facts into one file",
		Long: `Collect the facts that check and plan are based on: kernel files and query
results as they are, in one readable text file. check FILE and plan FILE then
give the same results as on the host. The file contains no passwords, connection
strings or query texts. Nothing is changed.

It contains the kernel's OOM reports if they are readable, for diagnose oom
FILE. With --redact, they are removed, and names of databases, roles, tables and
the host are replaced with pseudonyms, the same ones each time.

` + targetHelp,
		Example: `  pgfettle snapshot -o db1.evidence
  pgfettle snapshot --redact -o for-the-mailing-list.evidence
  pgfettle snapshot --redact db1.evidence > redacted.evidence
  ssh db1 pgfettle snapshot | pgfettle check -`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			return runSnapshot(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "`FILE` write to FILE (mode 0600), or to stdout with - (default stdout)")
	f.BoolVar(&o.force, "force", false, "overwrite an existing file")
	f.BoolVar(&o.redact, "redact", false, redactHelp)
	f.BoolVar(&o.deep, "deep", false, deepHelp)
	return cmd
}

func runSnapshot(ctx context.Context, env *Env, o *snapshotOptions) error {
	_, screen := terminal(env.Stdout)
	switch {
	case o.force && (o.out == "" || o.out == "-"):
		return say.Usage(say.M("--force requires -o FILE"), say.M("Add -o FILE, or omit --force."))
	case screen && o.out == "": // some 150 kB
		return say.Usage(say.M("cannot write evidence to a terminal"),
			say.M("Write it to a file with -o FILE, or force output with -o -."))
	case o.out == "-":
		o.out = ""
	}
	if _, err := os.Lstat(o.out); o.out != "" && err == nil && !o.force {
		return exists(o.out) // said before the host is read, not after
	}
	a, err := env.host().TakeEvidence(ctx, app.Request{Target: o.target, Deep: o.deep}, o.redact)
	if err != nil {
		return err
	}
	if o.out == "" {
		return writeTo(env.Stdout, "evidence", a)
	}
	var b bytes.Buffer
	if err := writeTo(&b, "evidence", a); err != nil {
		return err
	}
	// 0600: names in it can be confidential.
	if err := writeFile(o.out, b.Bytes(), 0o600, o.force); err != nil {
		return err
	}
	fmt.Fprintln(env.Stderr, "pgfettle: "+env.say(
		"evidence written to {file}: {entries} entries, {missing} unavailable",
		"file", o.out, "entries", strconv.Itoa(len(a.Names())), "missing", strconv.Itoa(len(a.MissingFiles()))))
	return nil
}
