package workload

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Bounds of the user's scripts: pgbench takes 128 of them, and a megabyte of SQL
// is more than a person writes for a test.
const (
	maxScripts = 128
	maxScript  = 1 << 20
	maxWeight  = 1_000_000 // the sum stays far from what pgbench counts in
)

// Custom makes a workload of the user's scripts, each a path with an optional
// weight, as in pgbench: "a.sql@70". Scripts that reach out of the database are
// refused: what they reach is no scratch copy.
func Custom(paths []string) (*Workload, error) {
	if len(paths) == 0 || len(paths) > maxScripts {
		return nil, &say.Problem{Message: say.M("{n} scripts", "n", len(paths)),
			Hint: say.M("give one to {maxScripts}", "maxScripts", fmt.Sprint(maxScripts)), Code: say.CodeUsage}
	}
	w := &Workload{Name: "custom", Title: say.M("scripts of the user"), Protocol: Prepared,
		// A SELECT may call a function that writes: what a script does is not seen in its text.
		Writes: true}
	var names []string
	for i, p := range paths {
		path, weight, err := weighted(p)
		if err != nil {
			return nil, err
		}
		b, err := readScript(path)
		if err != nil {
			return nil, &say.Problem{Message: say.M("script {path} cannot be read", "path", say.Quoted(path)),
				Detail: say.OfError(err),
				Code:   say.CodeError}
		}
		if what := reachesOut(b); !what.IsZero() {
			return nil, &say.Problem{Message: say.M("script {path} reaches out of the database", "path",
				say.Quoted(path)), Detail: what,
				Hint: say.M("it would run programs or touch other servers at full rate: take it out"),
				Code: say.CodeRefused}
		}
		names = append(names, filepath.Base(path))
		w.Scripts = append(w.Scripts, Script{Name: fmt.Sprintf("%02d_%s", i+1, plain(filepath.Base(path))), Text: b,
			Weight: weight})
	}
	if w.total() == 0 {
		return nil, &say.Problem{Message: say.M("every script has the weight 0"),
			Hint: say.M("give one of them a weight, as in a.sql@70"), Code: say.CodeUsage}
	}
	w.About = "The user's own: " + strings.Join(names, ", ") + "."
	return w, nil
}

// weighted takes a weight off a path: as in pgbench, what follows the last @.
func weighted(p string) (path string, weight int, err error) {
	i := strings.LastIndexByte(p, '@')
	if i < 0 {
		return p, 1, nil
	}
	n, err := strconv.Atoi(p[i+1:])
	if err != nil || n < 0 || n > maxWeight || i == 0 {
		return "", 0, &say.Problem{Message: say.M("{value} has no weight after the @", "value", say.Quoted(p)),
			Hint: say.M("write a whole number from 0 to {most}, as in a.sql@70", "most",
				fmt.Sprint(maxWeight)), Code: say.CodeUsage}
	}
	return p[:i], n, nil
}

func readScript(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() {
		return "", say.Err("it is no regular file")
	}
	b, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > maxScript:
		return "", say.Err("it is larger than {n} bytes", "n", strconv.Itoa(maxScript))
	case strings.TrimSpace(string(b)) == "":
		return "", say.Err("it is empty")
	case strings.IndexByte(string(b), 0) >= 0:
		return "", say.Err("it holds a NUL byte, where pgbench would stop reading")
	}
	return string(b), nil
}

// outside are ways out of the database, as they are in a script. A text within a string counts too, as a DO block or an
// EXECUTE may run it: rather one script too many is asked about.
var outside = []struct {
	pattern *regexp.Regexp
	what    say.Template
}{
	{regexp.MustCompile(`(?i)\\(set)?shell\b`), `\shell runs a program on this host`},
	{regexp.MustCompile(`(?is)\bcopy\b[^;]*\bprogram\b`), "COPY … PROGRAM runs a program on the server"},
	{regexp.MustCompile(`(?is)\bcopy\b[^;]*\b(from|to)\s+'`), "COPY with a file reads or writes a file of the server"},
	{regexp.MustCompile(`(?i)\bdblink`), "dblink connects to another database"},
	{regexp.MustCompile(`(?i)\b(postgres_fdw|create\s+(server|subscription|foreign))`),
		"a foreign server or a subscription is another database"},
	{regexp.MustCompile(`(?i)\b(lo_import|lo_export|pg_read_file|pg_read_binary_file)\b`),
		"it reads or writes a file of the server"},
}

var commentLine = regexp.MustCompile(`(?m)^[ \t]*--.*$`)

// reachesOut says how a script reaches out of the database; "": it does not.
func reachesOut(script string) say.Message {
	script = commentLine.ReplaceAllString(script, "")
	for _, o := range outside {
		if o.pattern.MatchString(script) {
			return say.M(o.what)
		}
	}
	return say.Message{}
}

// plain is a name of letters and digits that a file may have everywhere.
func plain(name string) string {
	name = strings.TrimSuffix(name, filepath.Ext(name))
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, name)
	return s[:min(len(s), 40)]
}
