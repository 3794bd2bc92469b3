package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
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

func newSnapshot(env *Env) *cobra.Command {
	o := &snapshotOptions{}
	cmd := &cobra.Command{
		Use:   "snapshot [TARGET]",
		Short: "Write what check and plan rest on, as one text file",
		Long: `Write the evidence: the files of the kernel and the answers of the server as they
were found, in one text that a person can read before he sends it. 'check FILE'
and 'plan FILE' then give what they give here. No password, connection string or
query text is in it. The kernel's reports of OOM kills are, where they can be read,
for 'diagnose oom FILE'. With --redact they are taken out, and the names of
databases, roles, tables and the host are replaced by pseudonyms, the same ones each
time.

` + targetHelp,
		Example: `  pgfettle snapshot -o db1.evidence
  pgfettle snapshot --redact -o for-the-mailing-list.evidence
  pgfettle snapshot --redact db1.evidence > redacted.evidence
  ssh db1 pgfettle snapshot | pgfettle check -`,
		Args: atMost(1, "one TARGET at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			return runSnapshot(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write to `FILE`, readable by its owner alone (default: stdout)")
	f.BoolVar(&o.force, "force", false, "replace FILE")
	f.BoolVar(&o.redact, "redact", false, "replace the names of databases, roles, tables and the host by pseudonyms")
	f.BoolVar(&o.deep, "deep", false, "also ask, in every database, what grows with the number of tables")
	return cmd
}

func runSnapshot(ctx context.Context, env *Env, o *snapshotOptions) error {
	if o.force && o.out == "" {
		return say.Usage("--force says what -o may do", "add -o FILE")
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
	// 0600: the names in it are nobody else's business.
	if err := writeFile(o.out, b.Bytes(), 0o600, o.force); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "pgfettle: %d files of evidence, %d that could not be had, written to %s\n", len(a.Names()),
		len(a.MissingFiles()), o.out)
	return nil
}
