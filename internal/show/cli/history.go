package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

type historyOptions struct {
	file, since, until, instance, format string
	kinds, series                        []string
	points, limit                        int
	peaks                                bool
}

// historyPlace tells where the history lies, in every help that reads it.
const historyPlace = `The history lies in /var/lib/pgfettle/history.db, for an ordinary user in
$XDG_STATE_HOME/pgfettle (~/.local/state where that is not set), or where --history says;
where there is none, that of the packaged service in /var/lib/pgfettle-watch is read. Root
reads a history that another account can write as that account.`

func newHistory(env *Env) *cobra.Command {
	o := &historyOptions{}
	cmd := &cobra.Command{
		Use:   "history [INSTANCE]",
		Short: "Show what changed when",
		Long: `Show what 'pgfettle watch' saw change, the newest last: settings, findings, plans
that became stale, restarts, processes that the kernel killed, and gaps in which
nothing was stored. Times are UTC. With an INSTANCE, its data directory, what is of
that instance and of the host. Nothing is changed, and no server is asked.

--series shows numbers over the same time instead: NAME, or NAME{LABEL}, such as
connections{active}; --series list names those that there are.

A time is a length before now (90m, 36h, 7d, 2w), a date, or date and time.

` + historyPlace,
		Example: `  pgfettle history
  pgfettle history --since 30d --kind setting,restart
  pgfettle history --series page_tables_bytes --since 2w
  pgfettle history --since 2026-11-01 --until 2026-11-08 --format json`,
		Args: atMost(1, "one INSTANCE at most"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runHistory(cmd.Context(), env, o, args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			s, err := env.host().History(o.file)
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			defer s.Close()
			list, _ := s.Instances(cmd.Context())
			return list, cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "history", "", "read the history in `FILE`")
	f.StringVar(&o.since, "since", "7d", "from this `TIME` on")
	f.StringVar(&o.until, "until", "", "up to this `TIME` (default: now)")
	f.StringVar(&o.instance, "instance", "", "only what is of `INSTANCE`; host is the host alone")
	f.StringSliceVar(&o.kinds, "kind", nil, "only these `KINDS`: "+strings.Join(kindWords(), ", "))
	f.StringArrayVar(&o.series, "series", nil, "show the series `NAME`; list names them")
	f.IntVar(&o.points, "points", 0, "at most so many points of a series (default 500)")
	f.IntVar(&o.limit, "limit", 200, "at most so many events, the newest")
	f.StringVar(&o.format, "format", "text", plainFormsHelp)
	// What root asks of a history that another account writes; see historyholder.go.
	f.BoolVar(&o.peaks, "peaks", false, "print the peaks that plans rest on")
	if err := f.MarkHidden("peaks"); err != nil {
		panic(err)
	}
	complete(cmd, "format", "text", "json")
	complete(cmd, "kind", kindWords()...)
	var names []string
	for _, m := range history.Meanings() {
		names = append(names, m.Name)
	}
	complete(cmd, "series", append([]string{"list"}, names...)...)
	return cmd
}

// kindWords are the kinds of event as one writes them; finding stands for all
// three of a finding.
func kindWords() []string {
	var out []string
	for _, k := range history.EventKinds() {
		word, _, found := strings.Cut(string(k), "-")
		if !found || word != "finding" {
			word = string(k)
		}
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

func runHistory(ctx context.Context, env *Env, o *historyOptions, args []string) error {
	if o.peaks {
		return writePeaks(ctx, env, o.file)
	}
	if err := choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	now := env.Target.Now().UTC()
	d := document.History{To: now}
	var err error
	if d.From, err = moment("since", o.since, now); err != nil {
		return err
	}
	if o.until != "" {
		if d.To, err = moment("until", o.until, now); err != nil {
			return err
		}
	}
	if !d.From.Before(d.To) {
		return say.Usage(fmt.Sprintf("--since %s is not before --until %s", d.From.Format(time.RFC3339),
			d.To.Format(time.RFC3339)), "give a span of time")
	}
	if o.limit < 1 || o.points < 0 {
		return say.Usage("--limit and --points are numbers of at least 1",
			"leave them out for 200 events or 500 points")
	}
	f := history.EventFilter{From: d.From, To: d.To, Most: o.limit + 1}
	for _, k := range o.kinds {
		if err := choice("kind", k, kindWords()...); err != nil {
			return err
		}
		for _, e := range history.EventKinds() {
			if string(e) == k || k == "finding" && strings.HasPrefix(string(e), "finding-") {
				f.Kinds = append(f.Kinds, e)
			}
		}
	}
	if len(args) > 0 && o.instance != "" {
		return say.Usage("an INSTANCE and --instance are one too many", "leave one of them out")
	}
	s, err := env.host().History(o.file)
	if err != nil {
		return err
	}
	defer s.Close()
	d.File = s.Path()
	if d.First, d.Last, err = s.Span(ctx); err != nil {
		return err
	}
	of, err := instanceOf(ctx, s, strings.Join(args, "")+o.instance)
	if err != nil {
		return err
	}
	switch {
	case slices.Contains(o.series, "list"):
		return seriesList(ctx, env, s, of, o.format, d)
	case len(o.series) > 0:
		err = historySeries(ctx, s, o, of, &d)
	default:
		f.Instance, f.AndHost = of, len(args) > 0
		d.Events, err = s.EventsBetween(ctx, f)
		if d.Older = len(d.Events) > o.limit; d.Older {
			d.Events = d.Events[1:]
		}
	}
	if err != nil {
		return err
	}
	if o.format == "json" {
		return json.History(env.Stdout, d)
	}
	return term.Write(env.Stdout, reports.History(d, env.words), env.Style())
}

// instanceOf finds the instance that a person named; nil: he named none.
func instanceOf(ctx context.Context, s app.History, name string) (*string, error) {
	none := ""
	switch name {
	case "":
		return nil, nil
	case "host":
		return &none, nil
	}
	list, err := s.Instances(ctx)
	if err != nil {
		return nil, err
	}
	if slices.Contains(list, name) {
		return &name, nil
	}
	abs, err := filepath.Abs(name)
	if err == nil && slices.Contains(list, abs) {
		return &abs, nil
	}
	return nil, say.Usage(fmt.Sprintf("the history knows no instance %q", name),
		say.DidYouMean(name, list, "those that it knows: "+strings.Join(append(list, "host"), ", ")))
}

// historySeries reads the series that were asked for: of every instance, where
// none was named.
func historySeries(ctx context.Context, s app.History, o *historyOptions, of *string, d *document.History) error {
	there, err := s.List(ctx)
	if err != nil {
		return err
	}
	for _, asked := range o.series {
		name, label, labelled := strings.Cut(strings.TrimSuffix(asked, "}"), "{")
		m, ok := history.MeaningOf(name)
		if !ok {
			var names []string
			for _, m := range history.Meanings() {
				names = append(names, m.Name)
			}
			return say.Usage(fmt.Sprintf("--series: %q is not known", name),
				say.DidYouMean(name, names, "'pgfettle history --series list' names them"))
		}
		var wanted []history.Series
		for _, i := range there {
			if i.Name == name && (!labelled || i.Label == label) && (of == nil || i.Instance == *of) {
				wanted = append(wanted, i.Series)
			}
		}
		if len(wanted) == 0 {
			return &say.Problem{Message: fmt.Sprintf("no sample of %s is in the history", asked),
				Hint: "'pgfettle history --series list' names those that are", Code: exitError}
		}
		got, err := s.Ranges(ctx, wanted, d.From, d.To, o.points)
		if err != nil {
			return err
		}
		for i, k := range wanted {
			d.Series = append(d.Series, document.HistorySeries{Series: k, Unit: m.Unit, Kind: m.Kind, Help: m.Help,
				Buckets: got[i]})
		}
	}
	return nil
}

// seriesList names the series that there are. As JSON it is the same document,
// without buckets.
func seriesList(ctx context.Context, env *Env, s app.History, of *string, format string, d document.History) error {
	there, err := s.List(ctx)
	if err != nil {
		return err
	}
	for _, i := range there {
		if m, ok := history.MeaningOf(i.Name); ok && (of == nil || i.Instance == *of) {
			d.Series = append(d.Series, document.HistorySeries{Series: i.Series, Unit: m.Unit, Kind: m.Kind,
				Help: m.Help})
		}
	}
	if format == "json" {
		return json.History(env.Stdout, d)
	}
	return term.Write(env.Stdout, reports.Series(d, env.words), env.Style())
}

// moment reads a time that a person wrote: a length before now, or a date.
func moment(flag, text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04",
		"2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	for suffix, size := range map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": 24 * time.Hour, "w": 7 * 24 * time.Hour, "y": 365 * 24 * time.Hour} {
		digits, ok := strings.CutSuffix(text, suffix)
		if n, err := strconv.ParseUint(digits, 10, 32); ok && err == nil && n > 0 &&
			time.Duration(n) <= 100*365*24*time.Hour/size {
			return now.Add(-time.Duration(n) * size), nil
		}
	}
	return time.Time{}, say.Usage(fmt.Sprintf("--%s: %q is not a time", flag, text),
		"write a length before now such as 36h, 7d or 2w, a date such as 2026-11-03, or '2026-11-03 14:30' (UTC)")
}

// writePeaks prints the peaks of a history.
func writePeaks(ctx context.Context, env *Env, file string) error {
	p, err := env.host().Peaks(ctx, file)
	if err != nil {
		return err
	}
	return json.Peaks(env.Stdout, p)
}
