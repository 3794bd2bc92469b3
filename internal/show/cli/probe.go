package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

type probeOptions struct {
	target  string
	only    []string
	seconds int
	yes     bool
	forget  bool
	format  string
	read    string
	storage string
}

// probeMost bounds --seconds: longer is for fio itself.
const probeMost = 60

func newProbe(env *Env) *cobra.Command {
	o := &probeOptions{}
	cmd := &cobra.Command{
		Use:   "probe [TARGET]",
		Short: "Measure disk, clock and memory performance",
		Long: `Measure values that pgfettle otherwise estimates from the device type. The
filesystems of the data directory, pg_wal and each tablespace are measured, each
device once:

  fsync    flushes per second, with pg_test_fsync of the same major version, of
           another one, or with a built-in test
  fio      random reads of 8 kB at depths 1, 4, 16 and 64, sequential reads, and
           flushes of a growing file, with fio or built-in tests (pread with
           O_DIRECT, one thread per read); random_page_cost and
           effective_io_concurrency are planned from these
  timing   cost of reading the clock, with pg_test_timing
  memory   memory latency and bandwidth of one CPU

The report names the method. Programs run as the owner of the data, in a private
directory that is removed at the end, or by the next probe after a crash. At
least 10% of each filesystem, and 2 GB, stay free. Duration and disk space are
shown first. If a server uses these disks, you are asked for confirmation
because the load slows it down. --yes skips the question. Without a terminal and
without --yes, nothing is measured there.

Results are saved in /var/lib/pgfettle/measured, for other users than root in
$XDG_STATE_HOME/pgfettle/measured. check and plan use them for 90 days if
devices and kernel are unchanged. Impossible speeds are reported as findings: a
cache answers instead of the disk.

With --read, nothing is run. Output of pg_test_fsync, pg_test_timing, fio (text
or JSON), pgbench (reports, --progress, --log), sysbench, iostat, vmstat and sar
is read from a file, or from stdin with -. It can be quoted, truncated,
translated, or contain several outputs. Contradictions are reported. --storage
names the storage type that flush rates are judged for.

` + targetHelp,
		Example: `  pgfettle probe
  pgfettle probe /var/lib/postgresql/17/main --seconds 10 --yes
  pgfettle probe --only fsync,timing
  pgfettle probe --format json --no-keep
  pgfettle probe --read fsync.txt --storage hdd`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.target = args[0]
			}
			return runProbe(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "`LIST` measure only these parts: fsync, timing, fio, memory")
	f.IntVar(&o.seconds, "seconds", 2, "`N` duration of each measurement, 1–60")
	f.BoolVar(&o.yes, "yes", false, yesHelp)
	f.BoolVar(&o.forget, "no-keep", false, "do not save the results")
	f.StringVar(&o.format, "format", "text", plainFormsHelp)
	f.StringVar(&o.read, "read", "", "`FILE` import output of pg_test_fsync, fio, pgbench and others")
	f.StringVar(&o.storage, "storage", "", "`TYPE` with --read: storage type: nvme, ssd, hdd, san")
	complete(cmd, "storage", "nvme", "ssd", "hdd", "san")
	complete(cmd, "only", app.ProbeParts...)
	complete(cmd, "format", "text", "json")
	return cmd
}

func (o *probeOptions) check() error {
	if err := choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	if o.seconds < 1 || o.seconds > probeMost {
		return say.Usage(say.M("value out of range for --seconds: {seconds}", "seconds", fmt.Sprint(o.seconds)),
			say.M("Use a number from 1 to {probeMost}.", "probeMost", fmt.Sprint(probeMost)))
	}
	switch {
	case o.read != "" && o.target != "":
		return say.Usage(say.M("--read cannot be used with a TARGET"), say.M("Use only one of them."))
	case o.storage != "" && o.read == "":
		return say.Usage(say.M("--storage requires --read"), say.M("Omit --storage: the storage of this host is "+
			"detected."))
	case o.storage != "":
		if err := choice("storage", o.storage, "nvme", "ssd", "hdd", "san"); err != nil {
			return err
		}
	}
	for i, part := range o.only {
		o.only[i] = strings.TrimSpace(part)
		if err := choice("only", o.only[i], app.ProbeParts...); err != nil {
			return err
		}
	}
	return nil
}

func runProbe(ctx context.Context, env *Env, o *probeOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.read != "" {
		return runProbeRead(env, o)
	}
	if file, err := env.host().EvidenceFile(o.target); err == nil && file != "" {
		return say.Usage(say.M("cannot measure with evidence file {target}", "target", say.Quoted(o.target)),
			say.M("Name a data directory, or omit TARGET for this host."))
	}
	w, err := env.host().PrepareProbe(ctx, app.ProbeRequest{Target: o.target, Only: o.only, Seconds: o.seconds})
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Stderr, typeset.Line(costOf(w).In(env.words)))
	if len(w.Running) > 0 && !o.yes {
		if err := askProbe(ctx, env, w.Running); err != nil {
			return err
		}
	}
	p, err := w.Run(ctx)
	if err != nil {
		return err
	}
	d := probeDocument(p)
	d.Subject = document.SubjectOf(p.Snapshot)
	if !o.forget {
		d.Kept = env.host().SaveProbe(p)
	}
	return writeProbe(env, o, d)
}

// runProbeRead shows and judges output of measuring programs.
func runProbeRead(env *Env, o *probeOptions) error {
	p, err := env.host().ReadProbe(o.read, o.storage)
	if err != nil {
		return err
	}
	d := probeDocument(p)
	d.From = o.read
	return writeProbe(env, o, d)
}

func probeDocument(p *app.Probed) *document.Probe {
	d := &document.Probe{Schema: document.ProbeSchema, Measured: p.Measured, Methods: p.Methods, Findings: p.Findings,
		Outputs: p.Outputs, Verdicts: p.Verdicts, Unread: p.Unread, Others: p.Others}
	for _, k := range p.Follows {
		d.Follows = append(d.Follows, document.ProbeKnob(k))
	}
	return d
}

func writeProbe(env *Env, o *probeOptions, d *document.Probe) error {
	if o.format == "json" {
		return json.Probe(env.Stdout, d.In(env.asked()))
	}
	return term.Write(env.Stdout, reports.Probe(d, env.words), env.Style())
}

// costOf says in one line what a probe takes.
func costOf(w *app.ProbeWork) say.Message {
	long := took((w.Time + time.Second - 1).Truncate(time.Second))
	if len(w.Disks) == 0 {
		return say.M("The measurement takes about {time}.", "time", long)
	}
	var at []string
	for _, d := range w.Disks {
		at = append(at, d.Parent)
	}
	return say.M("The measurement takes about {time} and writes {size} (removed at the end) in {places}.", "time", long,
		"size", w.Writes, "places", say.Names(at, 0))
}

// took is a duration that English has as Go writes it: "1m30s".
type took time.Duration

func (t took) String() string { return time.Duration(t).String() }

// In returns it in the language of a catalog.
func (t took) In(c *say.Catalogue) string {
	if c == nil {
		return t.String()
	}
	return say.Span(time.Duration(t).Seconds()).In(c)
}

func askProbe(ctx context.Context, env *Env, running []string) error {
	about := say.M("commits and reads of running servers ({running}) will be slower during the measurement", "running",
		say.Names(running, 0))
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: say.M("nothing was measured: cannot ask for confirmation without a terminal"),
			Detail: about,
			Hint:   say.M("Choose a time with little load, and add --yes."), Code: exitRefused}
	}
	fmt.Fprintln(env.Stderr, typeset.Sentence(about.In(env.words)))
	answer, err := newLines(env.Stdin).choose(ctx, env, "Measure now?", answerYes, answerNo)
	if err == nil && answer != "yes" {
		err = &say.Problem{Message: say.M("nothing was measured: canceled"), Code: exitRefused}
	}
	return err
}
