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
		Short: "Measure disks, clock and memory, so that check and plan need not guess",
		Long: `Measure what the rules otherwise guess from the kind of device, on the filesystem
of the data directory, of pg_wal and of each tablespace, each device once:

fsync: how often a second a write reaches the disk, with pg_test_fsync of the
instance's own version, else of another one; where there is none an own loop stands
in, and is named so.
fio: 8 kB reads at random with 1, 4, 16 and 64 at once, reads in order, and flushes
of a file that grows, with fio where it is installed. Where it is not, own reads stand
in and are named so: pread with O_DIRECT, from as many threads as are at once. plan's
random_page_cost and effective_io_concurrency rest on them as on those of fio.
timing: what reading the clock costs, with pg_test_timing.
memory: latency and speed of memory, as one processor sees it.

The programs run as the owner of the data, in a private folder beside it that is
removed at the end; after a crash the next probe removes it. A tenth of each
filesystem, and at least 2 GB, stay free. What it will cost is said before, and where
a server runs on these disks it is asked for: the writes and reads compete with its
own. --yes asks nothing; without a terminal and without --yes nothing is measured
there.

The result is kept in /var/lib/pgfettle/measured, for an ordinary user in
$XDG_STATE_HOME/pgfettle/measured. For 90 days check and plan rest on it and say so,
as long as the devices and the kernel are the same. Speeds that no such disk can have
are findings: a cache answers in its place.

With --read nothing is run: outputs of pg_test_fsync, pg_test_timing, fio (text or
JSON), pgbench (reports, --progress and --log), sysbench, iostat, vmstat and sar are
read from a file, or from stdin with -: several in one file, of any version and system,
quoted, indented, in another language, or cut. What contradicts itself in an output is
reported. --storage names the kind of disk, for which the rates of flushes are judged.

` + targetHelp,
		Example: `  pgfettle probe
  pgfettle probe /var/lib/postgresql/17/main --seconds 10 --yes
  pgfettle probe --only fsync,timing
  pgfettle probe --format json --no-keep
  pgfettle probe --read fsync.txt --storage hdd`,
		Args: atMost(1, "one TARGET at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.target = args[0]
			}
			return runProbe(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "measure only these `PARTS` (fsync,timing,fio,memory)")
	f.IntVar(&o.seconds, "seconds", 2, "how long each single measurement takes, `N` from 1 to 60")
	f.BoolVar(&o.yes, "yes", false, "ask nothing")
	f.BoolVar(&o.forget, "no-keep", false, "do not keep the result for check and plan")
	f.StringVar(&o.format, "format", "text", plainFormsHelp)
	f.StringVar(&o.read, "read", "", "measure nothing; read what was measured elsewhere from `FILE`")
	f.StringVar(&o.storage, "storage", "", "with --read: the `KIND` of disk, nvme, ssd, hdd or san")
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
		return say.Usage(fmt.Sprintf("--seconds: %d is out of range", o.seconds),
			fmt.Sprintf("write a number from 1 to %d", probeMost))
	}
	switch {
	case o.read != "" && o.target != "":
		return say.Usage(fmt.Sprintf("%q is one argument too many: --read measures nothing", o.target), "leave it out")
	case o.storage != "" && o.read == "":
		return say.Usage("--storage is for --read", "leave it out: the disks that are measured are those of this host")
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
		return say.Usage(fmt.Sprintf("%q is a file: it holds what was seen, and probe measures", o.target),
			"name a data directory or nothing for this host")
	}
	w, err := env.host().PrepareProbe(ctx, app.ProbeRequest{Target: o.target, Only: o.only, Seconds: o.seconds})
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Stderr, costOf(w))
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

// runProbeRead shows and judges what a measuring program has said elsewhere.
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
		Outputs: p.Outputs, Verdicts: p.Verdicts, Unread: p.Unread}
	for _, k := range p.Follows {
		d.Follows = append(d.Follows, document.ProbeKnob(k))
	}
	return d
}

func writeProbe(env *Env, o *probeOptions, d *document.Probe) error {
	if o.format == "json" {
		return json.Probe(env.Stdout, d)
	}
	return term.Write(env.Stdout, reports.Probe(d, env.words), env.Style())
}

// costOf says in one line what a probe takes.
func costOf(w *app.ProbeWork) string {
	text := fmt.Sprintf("This takes about %s", (w.Time + time.Second - 1).Truncate(time.Second))
	if n := len(w.Disks); n > 0 {
		var at []string
		for _, d := range w.Disks {
			at = append(at, d.Parent)
		}
		text += fmt.Sprintf(" and writes %s, removed at the end, in %s", w.Writes, typeset.Line(strings.Join(at, ", ")))
	}
	return text + "."
}

func askProbe(ctx context.Context, env *Env, running []string) error {
	about := "a server runs on these disks (" + typeset.Line(strings.Join(running, ", ")) +
		"), and its commits and reads will be slower meanwhile"
	if _, ok := terminal(env.Stdin); !ok {
		return &say.Problem{Message: "nothing was measured: there is no terminal to ask at", Detail: about,
			Hint: "say --yes, or choose a quiet hour", Code: exitRefused}
	}
	fmt.Fprintln(env.Stderr, strings.ToUpper(about[:1])+about[1:]+".")
	answer, err := newLines(env.Stdin).choose(ctx, env, "Measure now?", answerYes, answerNo)
	if err == nil && answer != "yes" {
		err = &say.Problem{Message: "nothing was measured: you said no", Code: exitRefused}
	}
	return err
}
