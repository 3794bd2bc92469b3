package serve

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/outline/experiments"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

const (
	// mostExperiments are listed, the newest names first. One of them takes an
	// hour or so, so these are years.
	mostExperiments = 500
	// mostResult is above what result.Decode takes, so that it can say that a
	// document is too large.
	mostResult = 32 << 20
	// mostEntries of the directory are examined.
	mostEntries = 10000
)

// found is one experiment of the directory.
type found struct {
	ID                   string
	Title, Verdict, When say.Message
	Wrong                error // why it could not be read
}

var errNoExperiments = &problem{http.StatusNotFound, say.M("No directory of experiments was named."),
	say.M("Start 'pgfettle serve' with --experiments DIR, the directory in which 'pgfettle prove' stores its " +
		"experiments.")}

// folder opens the folder of the experiments. Nothing outside it can be reached through what it returns, whatever an
// address says or a link in it points to.
func (s *Server) folder() (*os.Root, error) {
	if s.o.Experiments == "" {
		return nil, errNoExperiments
	}
	root, err := os.OpenRoot(s.o.Experiments)
	if err != nil {
		return nil, &problem{http.StatusServiceUnavailable,
			say.M("the directory of the experiments could not be opened: {error}", "error", bare(err)),
			say.M("'pgfettle serve' must run as a user who may read it.")}
	}
	return root, nil
}

// bare is an error of a file without the path, which is nothing for a page.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// experiments lists those of the directory.
func (s *Server) experiments(w http.ResponseWriter, r *http.Request) error {
	root, err := s.folder()
	if errors.Is(err, errNoExperiments) {
		return s.page(w, r, http.StatusOK, sheet{Title: nameOf("/experiments"), Here: "/experiments",
			Name: "noexperiments"})
	} else if err != nil {
		return err
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(mostEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(b.Name(), a.Name()) })
	var list []found
	for _, e := range entries {
		if len(list) == mostExperiments {
			break
		}
		if r.Context().Err() != nil {
			return errGone
		}
		if f, ok := s.summary(root, e.Name()); ok {
			list = append(list, f)
		}
	}
	t := tongueOf(r)
	rows := make([][]html.Cell, len(list))
	for i, f := range list {
		to, err := t.piece("link", web.Link{Href: "/experiments/" + f.ID, Text: f.ID})
		if err != nil {
			return err
		}
		rows[i] = []html.Cell{{HTML: to}, {Text: t.Word(f.Title)}, {Text: t.Word(f.Verdict)}, {Text: t.Word(f.When)}}
		if f.Wrong != nil {
			rows[i] = []html.Cell{{Text: f.ID}, {Text: say.ErrorIn(bare(f.Wrong), t.words)}, {}, {}}
		}
	}
	p := sheet{Title: nameOf("/experiments"), Here: "/experiments", Name: "experiments",
		Data: map[string]any{"None": len(list) == 0, "Cut": len(list) == mostExperiments}}
	if len(list) > 0 {
		table := html.Table{Caption: t.Say("Experiments in the directory"), Quiet: true,
			Head: []string{t.Say("Experiment"), t.Say("Comparison"), t.Say("Verdict"), t.Say("Ended")}, Rows: rows}
		if p.Body, err = table.HTML(); err != nil {
			return err
		}
	}
	return s.page(w, r, http.StatusOK, p)
}

// summary describes one experiment in a line; false if it is none. Reading one judges it again from its runs, so what
// was read is kept while its file stays as it is.
func (s *Server) summary(root *os.Root, name string) (found, bool) {
	file, st, err := documentOf(root, name)
	if errors.Is(err, fs.ErrNotExist) { // another file or directory
		return found{}, false
	}
	f := found{ID: name}
	if err != nil {
		f.Wrong = err
		return f, true
	}
	key := fmt.Sprintf("%s\x00%d\x00%d", file, st.Size(), st.ModTime().UnixNano())
	s.mu.Lock()
	have, ok := s.read[key]
	s.mu.Unlock()
	if ok {
		return have, true
	}
	res, err := readDocument(root, file)
	switch {
	case err != nil:
		f.Wrong = err
	default:
		f.Verdict, f.When = experiments.VerdictWord(res.Word), say.Text(res.Ended)
		pairs := []any{"workload", res.Workload.Name, "a", res.A.Name}
		f.Title = say.M("{workload}: {a}", pairs...)
		if res.Design != experiment.DesignSingle {
			f.Title = say.M("{workload}: {a} vs. {b}", append(pairs, "b", res.B.Name)...)
		} else {
			f.Verdict = say.M("measured only")
		}
		if res.Name != "" {
			f.Title = say.M("{name} ({what})", "name", res.Name, "what", f.Title)
		}
		if res.Ended == "" {
			f.Verdict, f.When = say.M("not finished"), say.M("started {time}", "time", res.Started)
		} else if effect := verdictOf(res); !effect.IsZero() {
			f.Verdict = say.All(", ", f.Verdict, effect)
		}
	}
	s.mu.Lock()
	if len(s.read) > 2*mostExperiments { // of directories that are gone
		clear(s.read)
	}
	s.read[key] = f
	s.mu.Unlock()
	return f, true
}

// verdictOf is the difference with its interval, if there is one.
func verdictOf(r *experiment.Result) say.Message {
	if r.Design == experiment.DesignSingle || !r.Effect.Known() || !r.Low.Known() || !r.High.Known() {
		return say.Message{}
	}
	percent := func(v float64) say.Number { return say.Number(fmt.Sprintf("%+.1f%%", v)) }
	return say.M("{effect} ({low} to {high})", "effect", percent(float64(r.Effect)), "low", percent(float64(r.Low)),
		"high", percent(float64(r.High)))
}

// documentOf finds the document of a directory, or the document itself. An fs.ErrNotExist is what is no experiment.
func documentOf(root *os.Root, name string) (string, fs.FileInfo, error) {
	if !fs.ValidPath(name) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return "", nil, fs.ErrNotExist
	}
	st, err := root.Stat(name)
	if err != nil {
		return "", nil, err
	}
	if st.IsDir() {
		name += "/" + experiment.ResultFile
		if st, err = root.Stat(name); err != nil {
			return "", nil, err
		}
	} else if !strings.HasSuffix(name, ".json") {
		return "", nil, fs.ErrNotExist
	}
	if !st.Mode().IsRegular() { // a FIFO would wait for a writer
		return "", nil, fs.ErrNotExist
	}
	return name, st, nil
}

func readDocument(root *os.Root, file string) (*experiment.Result, error) {
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostResult+1))
	if err != nil {
		return nil, err
	}
	return experiment.DecodeResult(b)
}

// experiment shows one.
func (s *Server) experiment(w http.ResponseWriter, r *http.Request) error {
	root, err := s.folder()
	if err != nil {
		return err
	}
	defer root.Close()
	id := r.PathValue("id")
	var res *experiment.Result
	file, _, err := documentOf(root, id)
	if err == nil {
		res, err = readDocument(root, file)
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &problem{http.StatusServiceUnavailable, say.M("The experiment may not be read."),
			say.M("'pgfettle serve' must run as a user who may.")}
	case err != nil && !errors.Is(err, fs.ErrNotExist) && s.listed(root, id):
		return &problem{http.StatusUnprocessableEntity,
			say.M("the document of the experiment could not be read: {error}", "error", bare(err)),
			say.M("It is not a document of 'pgfettle prove' or 'bench', or was made by a newer pgfettle.")}
	case err != nil:
		return &problem{http.StatusNotFound, say.M("There is no experiment {id}.", "id", say.Quoted(id)),
			say.M("The page {page} lists those that exist.", "page", pageNamed("/experiments"))}
	}
	t := tongueOf(r)
	body, err := web.Prove(res, t.view())
	if err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, sheet{Title: say.M("Experiment {id}", "id", id), Here: "/experiments",
		Body: body})
}

// listed reports whether a name is one in the directory: an error for a link that leads out of it reveals nothing about
// the target.
func (s *Server) listed(root *os.Root, name string) bool {
	st, err := root.Lstat(name)
	return err == nil && st.Mode().Type()&fs.ModeSymlink == 0
}
