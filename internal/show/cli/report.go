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
		Short: "Write a self-contained HTML report",
		Long: `Write the results of check, plan, diagnose memory and diagnose oom, settings
that differ from their defaults, and experiments of pgfettle prove into one HTML
file. It needs no network and no scripts, and can be mailed and printed.
Unavailable facts are listed. Nothing else is changed.

-o FILE overwrites an earlier report; for any other existing file, --force is
required. Without -o, or with -o -, the report is written to stdout.

A report on an evidence file shows its contents; OOM kills are included if the
kernel log was readable. --redact replaces the names of databases, roles, tables
and the host with pseudonyms, as with pgfettle snapshot --redact, and omits the
kernel log.

` + policyHelp + `
` + targetHelp,
		Example: `  pgfettle report -o report.html
  pgfettle report --experiment ./proof-1 -o db1.html /var/lib/postgresql/17/main
  pgfettle report --redact -o for-the-consultant.html
  pgfettle report --lang fr db1.evidence > db1.html`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plan.target = strings.Join(args, "")
			o.plan.profileSaid = cmd.Flags().Changed("profile")
			if cmd.Flags().Changed("for") {
				return say.Usage(say.M("--for cannot be used with pgfettle report"),
					say.M("Write the plan as a page: pgfettle plan --for … --format html"))
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
	f.StringVarP(&o.out, "output", "o", "", "`FILE` write to FILE (mode 0600), or to stdout with - (default stdout)")
	f.BoolVar(&o.force, "force", false, "overwrite FILE even if it is not an earlier report")
	f.BoolVar(&o.redact, "redact", false, redactHelp)
	f.StringArrayVar(&o.experiments, "experiment", nil,
		"`DIR` add the pgfettle prove experiment in DIR (repeatable)")
	return cmd
}

func runReport(ctx context.Context, env *Env, o *reportOptions) error {
	_, screen := terminal(env.Stdout)
	screen = screen && o.out == "" // with "-o -" it is meant
	if o.out == "-" {
		o.out = ""
	}
	switch {
	case o.force && o.out == "":
		return say.Usage(say.M("--force requires -o FILE"), say.M("Add -o FILE, or omit --force."))
	case screen:
		return say.Usage(say.M("cannot write an HTML report to a terminal"),
			say.M("Write it to a file with -o report.html, or force output with -o -."))
	case o.redact && len(o.experiments) > 0:
		return say.Usage(say.M("--redact cannot be used with --experiment: results name the host and its settings"),
			say.M("Use only one of them."))
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
	// 0600: names in it can be confidential.
	if err := writeFile(o.out, b.Bytes(), 0o600, true); err != nil {
		return err
	}
	fmt.Fprintln(env.Stderr, "pgfettle: "+env.say("{contents}, written to {file} ({size}, one file, mode 0600)",
		"contents", web.ReportLine(r), "file", typeset.Line(o.out), "size", unit.Bytes(b.Len())))
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
		return say.Usage(say.M("-o: {name} is not a regular file", "name", say.Quoted(name)), say.M("Name a file."))
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
		return &say.Problem{Message: say.M("file {name} already exists and is not a pgfettle report; nothing was "+
			"written", "name", say.Quoted(name)), Hint: say.M("Choose another name, or add --force to overwrite it."),
			Code: exitError}
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
			return r, say.Usage(say.M("duplicate value for --experiment: {dir}", "dir", say.Quoted(dir)),
				say.M("Name each experiment once."))
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
