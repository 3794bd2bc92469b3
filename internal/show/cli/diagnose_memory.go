package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	showterm "github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

type diagnoseMemoryOptions struct {
	target string
	format string
	pss    bool
	watch  time.Duration
}

const (
	// watchDefault is the interval of --watch without a value: page tables grow in
	// minutes, and each refresh takes a connection to the server.
	watchDefault = "5s"
	// watchLeast keeps a watch from becoming a load itself.
	watchLeast = time.Second
)

func newDiagnoseMemory(env *Env) *cobra.Command {
	o := &diagnoseMemoryOptions{}
	cmd := &cobra.Command{
		Use:     "memory [TARGET]",
		Aliases: []string{"pagetables"},
		Short:   "Show memory by process, page tables, likely OOM victims",
		Long: `Show how the memory of a host is used, and by which processes of each instance:
grouped by kind of process and by database, role and state of the sessions. Page
tables (VmPTE in /proc/PID/status, not part of RSS), private memory and swap are
listed. Nothing is changed.

The worst case that the settings allow follows, with the savings of huge pages,
fewer connections and a smaller shared_buffers side by side. Last comes the
process that the OOM killer would choose now, by its own formula, and why.

The column "most shared" has the largest value of a group: the same shared
memory is mapped by every process, so a sum would count it many times. --pss
adds the proportional set size, which counts shared memory once. To compute it,
the kernel walks the page tables of each process under its mmap lock. This takes
about 20 ms for a process that has touched 4 GB, so it is read only on request.

Quit --watch with Ctrl-C. On a terminal, each refresh replaces the previous one
and is cut to the height of the screen. With --format json, each one is a
separate document.

` + targetHelp,
		Example: `  pgfettle diagnose memory
  pgfettle diagnose pagetables /var/lib/postgresql/17/main
  pgfettle diagnose memory --watch=10s
  pgfettle diagnose memory --format json host.evidence
  pgfettle diagnose memory --format html > memory.html`,
		Args: atMost(1, "at most one TARGET"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.target = strings.Join(args, "")
			if cmd.Flags().Changed("watch") && o.watch < watchLeast {
				return say.Usage(say.M("value out of range for --watch: {watch}", "watch", o.watch),
					say.M("Use at least {watchLeast}, such as --watch=5s.", "watchLeast", watchLeast))
			}
			return runDiagnoseMemory(cmd.Context(), env, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "text", docFormsHelp)
	f.BoolVar(&o.pss, "pss", false, "also read proportional set sizes (slow, locks mmap)")
	f.DurationVar(&o.watch, "watch", 0, "`INTERVAL` refresh until interrupted (default every "+watchDefault+")")
	f.Lookup("watch").NoOptDefVal = watchDefault
	complete(cmd, "format", docForms...)
	return cmd
}

func runDiagnoseMemory(ctx context.Context, env *Env, o *diagnoseMemoryOptions) error {
	if err := choice("format", o.format, docForms...); err != nil {
		return err
	}
	if o.watch > 0 && o.format != "text" && o.format != "json" {
		return say.Usage(say.M("--watch cannot be used with --format {format}", "format", o.format),
			say.M("Omit --watch, or use --format text or json."))
	}
	file, err := env.host().EvidenceFile(o.target)
	if err != nil {
		return err
	}
	if file != "" && (o.watch > 0 || o.pss) {
		return say.Usage(say.M("--watch and --pss cannot be used with an evidence file"),
			say.M("Omit them, or run the command on the host itself."))
	}
	if o.watch == 0 {
		return diagnoseMemoryOnce(ctx, env, o)
	}
	return watchMemory(ctx, env, o)
}

func diagnoseMemoryOnce(ctx context.Context, env *Env, o *diagnoseMemoryOptions) error {
	d, err := memoryReport(ctx, env, o)
	if err != nil {
		return err
	}
	return env.writeForm(o.format, forms{
		taken:    d.TakenAt,
		text:     func(w io.Writer) error { return showterm.Write(w, reports.Memory(d, env.words), env.Style()) },
		json:     func(w io.Writer) error { return json.Memory(w, d.In(env.asked())) },
		markdown: func(w io.Writer) error { return markdown.Write(w, reports.Memory(d, env.words)) },
		html:     func(v web.View) (web.Page, error) { return web.DiagnoseMemoryPage(d, v) },
	})
}

func memoryReport(ctx context.Context, env *Env, o *diagnoseMemoryOptions) (*memory.Report, error) {
	l, err := loadAs(ctx, env, app.Request{Target: o.target, Memory: true, Killable: true, PSS: o.pss})
	if err != nil {
		return nil, err
	}
	return l.Memory(env.host().ByPolicy(l.PolicyOfDiagnosis())), nil
}

// watchMemory repeats its report. On a terminal each one replaces the previous one; elsewhere they follow one another.
// It runs until interrupted.
func watchMemory(ctx context.Context, env *Env, o *diagnoseMemoryOptions) error {
	fd, screen := terminal(env.Stdout)
	screen = screen && o.format == "text" && env.Getenv("TERM") != "dumb"
	tick := time.NewTicker(o.watch)
	defer tick.Stop()
	for n := 0; ; n++ {
		d, err := memoryReport(ctx, env, o)
		if ctx.Err() != nil {
			return errWatched
		}
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if o.format == "json" {
			err = json.Memory(&b, d.In(env.asked()))
		} else {
			head := env.say("{clock}, every {time}; quit with Ctrl-C", "clock",
				time.Unix(d.TakenAt, 0).Format(time.TimeOnly), "time", say.Duration(o.watch)) + "\n\n"
			switch {
			case screen:
				head = "\x1b[H\x1b[2J" + head // home, then wipe
			case n > 0:
				head = "\n" + head
			}
			b.WriteString(head)
			err = showterm.Write(&b, reports.Memory(d, env.words), env.Style())
		}
		if err != nil {
			return err
		}
		text := b.Bytes()
		if _, height, err := term.GetSize(fd); screen && err == nil {
			text = env.fit(text, height)
		}
		if _, err := env.Stdout.Write(text); err != nil {
			return say.Err("output: {error}", "error", err)
		}
		select {
		case <-ctx.Done():
			return errWatched
		case <-tick.C:
		}
	}
}

// fit cuts a text to the lines of a screen: what scrolled off its top would be the
// verdict.
func (e *Env) fit(text []byte, height int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	// One line is for the cursor, one for what is omitted.
	if height < 3 || len(lines) < height {
		return text
	}
	shown := bytes.Join(lines[:height-2], nil)
	rest := say.N(len(lines)-(height-2), "… {n} more line does not fit on the screen",
		"… {n} more lines do not fit on the screen")
	return append(shown, rest.In(e.words)+"\n"...)
}
