package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app/diagnose"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

type reportOptions struct {
	plan        planOptions
	out         string
	force       bool
	redact      bool
	experiments []string
}

func newReport(env *Env) *cobra.Command {
	o := &reportOptions{}
	cmd := &cobra.Command{
		Use:   "report [TARGET]",
		Short: "Write one HTML file on a host: findings, plan, memory, OOM kills, experiments, settings",
		Long: `Join what check, plan, diagnose memory and diagnose oom say of a host, the settings
that differ from their defaults, and experiments of 'pgfettle prove', into one HTML
file. It asks no network for anything, needs no script, and can be mailed, printed
and read on a telephone. What could not be seen is named in it.

-o FILE replaces an earlier report, and no other file unless --force is said. Without
-o, or with -o -, it goes to stdout.

Of an evidence file it tells what is in it; OOM kills are where the kernel's log could
be read. With --redact the names of databases, roles, tables and the host are replaced
by pseudonyms, as 'pgfettle snapshot --redact' does it, and the kernel's log is left out.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle report -o report.html
  pgfettle report --profile oltp --experiment ./proof-1 -o db1.html /var/lib/postgresql/17/main
  pgfettle report --redact -o for-the-consultant.html
  pgfettle report --lang fr db1.evidence > db1.html`,
		Args: atMost(1, "one TARGET at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plan.target = strings.Join(args, "")
			o.plan.profileSaid = cmd.Flags().Changed("profile")
			if cmd.Flags().Changed("for") {
				return say.Usage("--for describes a host, and a report is of one that was looked at",
					"'pgfettle plan --for … --format html' writes the page of a plan")
			}
			if err := counts(cmd); err != nil {
				return err
			}
			return runReport(cmd.Context(), env, o)
		},
	}
	o.plan.flags(cmd)
	f := cmd.Flags()
	if err := f.MarkHidden("for"); err != nil { // plan has it, and a report is of what is there
		panic(err)
	}
	f.StringVarP(&o.out, "output", "o", "", "write to `FILE`, readable by its owner alone (default: stdout)")
	f.BoolVar(&o.force, "force", false, "replace FILE also where it is no earlier report")
	f.BoolVar(&o.redact, "redact", false, "replace the names of databases, roles, tables and the host by pseudonyms")
	f.StringArrayVar(&o.experiments, "experiment", nil,
		"add the experiment of 'pgfettle prove' in `DIR`; repeat it for more")
	return cmd
}

func runReport(ctx context.Context, env *Env, o *reportOptions) error {
	if o.out == "-" {
		o.out = ""
	}
	_, screen := terminal(env.Stdout)
	switch {
	case o.force && o.out == "":
		return say.Usage("--force says what -o may do", "add -o FILE")
	case o.out == "" && screen:
		return say.Usage("a report is a page for a browser, and stdout is a terminal",
			"name a file with -o report.html")
	case o.redact && len(o.experiments) > 0:
		return say.Usage("--redact: the document of an experiment names its host and its settings",
			"leave out --experiment, or --redact")
	}
	if o.out != "" && !o.force {
		if err := earlierReport(o.out); err != nil { // said before the host is read, not after
			return err
		}
	}
	r, err := makeReport(ctx, env, o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := writePage(env, &b, r.Snapshot.TakenAt, r, web.ReportPage); err != nil {
		return err
	}
	if o.out == "" {
		_, err := env.Stdout.Write(b.Bytes())
		return err
	}
	// 0600: the names in it are nobody else's business.
	if err := writeFile(o.out, b.Bytes(), 0o600, true); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "pgfettle: %s, written to %s (%s, one file, readable by you alone)\n", web.ReportLine(r),
		typeset.Line(o.out), unit.Bytes(b.Len()))
	return nil
}

// earlierReport refuses a file that is something else than a page of this program.
func earlierReport(name string) error {
	st, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("-o: %w", err)
	case !st.Mode().IsRegular():
		return say.Usage(fmt.Sprintf("-o: %q is no regular file", name), "name a file")
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	defer f.Close()
	head := make([]byte, 1024)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return fmt.Errorf("-o: %w", err)
	}
	if n > 0 && !bytes.Contains(head[:n], []byte(web.Mark)) {
		return &say.Problem{Message: fmt.Sprintf("%q exists already and is no report of pgfettle; nothing was written",
			name), Hint: "choose another name, or add --force to replace it", Code: exitError}
	}
	return nil
}

// makeReport looks at the host once and makes every document of what it saw.
func makeReport(ctx context.Context, env *Env, o *reportOptions) (web.Report, error) {
	var r web.Report
	var err error
	if o.plan.site, err = o.plan.policy.load(env, site(env, o.plan.target)); err != nil {
		return r, err
	}
	ro, err := o.plan.rules()
	if err != nil {
		return r, err
	}
	for i, dir := range o.experiments {
		if slices.Contains(o.experiments[:i], dir) {
			return r, say.Usage(fmt.Sprintf("--experiment: %q is given twice", dir), "leave one of them out")
		}
		x, err := readResult(dir)
		if err != nil {
			return r, err
		}
		r.Experiments = append(r.Experiments, x)
	}
	d, err := diagnose.MakeReport(ctx, env.host(), diagnose.ReportRequest{Target: o.plan.target, Deep: o.plan.deep,
		Redact: o.redact, Policy: o.plan.site, Plan: ro})
	if err != nil {
		return r, err
	}
	r.Snapshot, r.Memory, r.OOM, r.Log, r.Missing = d.Snapshot, d.Memory, d.OOM, d.Log, d.Missing
	r.Check = document.Check{Report: d.Check, Subject: document.SubjectOf(d.Snapshot), Policy: o.plan.site.File}
	r.Plan = document.Plan{Plan: d.Plan, Subject: r.Check.Subject}
	return r, nil
}
