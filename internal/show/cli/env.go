package cli

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/app/proving"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	showterm "github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Env is the world of a command: its streams, its environment variables, and
// the host that it looks at. The clock is the target's.
type Env struct {
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Vars    []string // NAME=VALUE
	Target  app.Target
	NoColor bool   // --no-color
	Lang    string // --lang; "" if it was not said

	Trusted []string       // --trust: data directories
	site    *policy.Policy // that a command has read; nil: none has been

	// Experiments are the steps of an experiment that start servers; nil: the real
	// ones.
	Experiments *proving.Steps

	words *say.Catalogue // of that language, or of the environment's
}

// Getenv returns an environment variable, "" if it is not set.
func (e *Env) Getenv(name string) string {
	for i := len(e.Vars) - 1; i >= 0; i-- { // the last one wins, as in os/exec
		if v, ok := strings.CutPrefix(e.Vars[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// width is that of texts which no terminal bounds: files and pipes.
const width = 100

// Style says what stdout can take: colors on a terminal only, and not with --no-color, NO_COLOR or TERM=dumb. COLUMNS
// overrides the terminal's width.
func (e *Env) Style() showterm.Style {
	st := showterm.Style{Width: width, Words: e.words, ASCII: e.ascii()}
	if fd, ok := terminal(e.Stdout); ok {
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			st.Width = w
		}
		st.Links = e.links()
		st.Color = !e.NoColor && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
	}
	if w, err := strconv.Atoi(e.Getenv("COLUMNS")); err == nil && w > 0 {
		st.Width = w
	}
	return st
}

// links reports whether the terminal is known to understand hyperlinks (OSC 8): others may show the addresses, and
// those that came before 2017 more than that.
func (e *Env) links() bool {
	switch e.Getenv("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "zed":
		return true
	}
	for _, prefix := range []string{"xterm-kitty", "alacritty", "foot", "contour", "xterm-ghostty"} {
		if strings.HasPrefix(e.Getenv("TERM"), prefix) {
			return true
		}
	}
	vte, err := strconv.Atoi(e.Getenv("VTE_VERSION")) // GNOME Terminal and its like, from 0.50
	return err == nil && vte >= 5000 || e.Getenv("WT_SESSION") != "" || e.Getenv("KONSOLE_VERSION") >= "201200" ||
		e.Getenv("DOMTERM") != ""
}

// ascii reports whether the locale names an encoding that lacks the signs of pictures. Where no locale is set, as in
// most containers and services, the terminal behind it takes UTF-8 all the same.
func (e *Env) ascii() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(e.Getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}

// Progress returns a function that shows what is being done on one line of stderr, which the next call replaces, and
// one that clears it. If stderr is no terminal, both do nothing.
func (e *Env) Progress() (tell func(string), done func()) {
	if _, ok := terminal(e.Stderr); !ok || e.Getenv("TERM") == "dumb" {
		return func(string) {}, func() {}
	}
	const wipe = "\r\x1b[K"
	tell = func(s string) { io.WriteString(e.Stderr, wipe+typeset.Line(gapwords.In(e.words, s))) }
	return tell, func() { io.WriteString(e.Stderr, wipe) }
}

// terminal returns the descriptor of a stream that is a terminal.
func terminal(stream any) (int, bool) {
	f, ok := stream.(*os.File)
	if !ok {
		return 0, false
	}
	fd := int(f.Fd())
	return fd, term.IsTerminal(fd)
}
