package cli

import (
	"context"
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

// historyPlace says where the history is, in the help of every command that reads it.
const historyPlace = `The history is in /var/lib/pgfettle/history.db, or in --history FILE. For other
users than root it is in $XDG_STATE_HOME/pgfettle (default ~/.local/state). If
there is none, that of the packaged service in /var/lib/pgfettle-watch is read.
If another account can write the file, root reads it with the rights of that
account.`

func newHistory(env *Env) *cobra.Command {
	o := &historyOptions{}
	cmd := &cobra.Command{
		Use:   "history [INSTANCE]",
		Short: "Show recorded changes and time series",
		Long: `Show the changes that pgfettle watch recorded, newest last: settings, findings,
stale plans, restarts, OOM kills, and gaps in which nothing was recorded. Times
are in UTC. INSTANCE (a data directory) selects the events of that instance and
of the host. Nothing is changed, and no server is queried.

--series shows a time series of the same period instead: NAME or NAME{LABEL},
such as connections{active}. --series list shows the recorded names.

TIME is an age (90m, 36h, 7d, 2w), a date, or a date with a time.

` + historyPlace,
		Example: `  pgfettle history
  pgfettle history --since 30d --kind setting,restart
  pgfettle history --series page_tables_bytes --since 2w
  pgfettle history --since 2026-11-01 --until 2026-11-08 --format json`,
		Args: atMost(1, "at most one INSTANCE"),
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
	f.StringVar(&o.file, "history", "", "`FILE` history file to read")
	f.StringVar(&o.since, "since", "7d", "`TIME` start of the period")
	f.StringVar(&o.until, "until", "", "`TIME` end of the period (default now)")
	f.StringVar(&o.instance, "instance", "", "`INSTANCE` only this instance; host selects the host only")
	f.StringSliceVar(&o.kinds, "kind", nil, "`LIST` only these kinds: "+strings.Join(kindWords(), ", "))
	f.StringArrayVar(&o.series, "series", nil, "`NAME` show this time series (repeatable); list shows all names")
	f.IntVar(&o.points, "points", 0, "`N` maximum number of points per series (default 500)")
	f.IntVar(&o.limit, "limit", 200, "`N` maximum number of events; the newest are shown")
	f.StringVar(&o.format, "format", "text", plainFormsHelp)
	// What root asks of a history that another account writes; see historyholder.go.
	f.BoolVar(&o.peaks, "peaks", false, "print the peaks that plans are based on")
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

// kindWords are the kinds of event as they are typed; finding means all three kinds of
// a finding.
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
		return say.Usage(say.M("--since {rfc3339} is not before --until {rfc33392}", "rfc3339",
			d.From.Format(time.RFC3339), "rfc33392", d.To.Format(time.RFC3339)), say.M("Use a start before the end."))
	}
	if o.limit < 1 || o.points < 0 {
		return say.Usage(say.M("--limit and --points must be at least 1"),
			say.M("Omit them for 200 events or 500 points."))
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
		return say.Usage(say.M("INSTANCE and --instance cannot be used together"), say.M("Use only one of them."))
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

// instanceOf finds the instance with a name; nil: no name was given.
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
	return nil, say.Usage(say.M("instance {name} is not in the history", "name", say.Quoted(name)),
		say.DidYouMean(name, list, say.M("Use one of: {list}.", "list", say.Names(append(list, "host"), 0))))
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
			return say.Usage(say.M("invalid value for --series: {name}", "name", say.Quoted(name)),
				say.DidYouMean(name, names, say.M("List the series: pgfettle history --series list")))
		}
		var wanted []history.Series
		for _, i := range there {
			if i.Name == name && (!labelled || i.Label == label) && (of == nil || i.Instance == *of) {
				wanted = append(wanted, i.Series)
			}
		}
		if len(wanted) == 0 {
			return &say.Problem{Message: say.M("no samples of {asked} in the history", "asked", asked),
				Hint: say.M("List the recorded series: pgfettle history --series list"), Code: exitError}
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

// moment reads a time as typed: an age, or a date.
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
	return time.Time{}, say.Usage(say.M("invalid value for --{flag}: {text}", "flag", flag, "text", say.Quoted(text)),
		say.M("Use an age such as 36h, 7d or 2w, a date such as 2026-11-03, or '2026-11-03 14:30' (UTC)."))
}

// writePeaks prints the peaks of a history.
func writePeaks(ctx context.Context, env *Env, file string) error {
	p, err := env.host().Peaks(ctx, file)
	if err != nil {
		return err
	}
	return json.Peaks(env.Stdout, p)
}
