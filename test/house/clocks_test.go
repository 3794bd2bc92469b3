package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// onTheClock are the functions of tests that may look at a real clock, each with the
// reason why its test comes to the same end on a machine that is ten times as slow.
// CONTRIBUTING.md says what to write instead.
var onTheClock = map[string]string{
	"internal/act/store/kill_test.go TestKilledFiftyTimes": "draws the moment of a kill: any is good, and what " +
		"is stored is held for each",
	"internal/act/experiment/machine/sampler_test.go crowd":      "children that do nothing until the test ends them",
	"internal/act/pgclient/liars_test.go TestServersThatLie":     "ends a stream that has no end, whenever it comes",
	"internal/act/pgclient/ask_test.go TestCancelledWhileAsking": "ends a hang",
	"internal/act/monitor/notice_test.go TestWebhook":            "the answer that is limited never comes",
	"internal/act/target/run_test.go TestMain":                   "a program that does not end by itself",
	"internal/act/target/run_test.go TestRunEndsWithItsTime":     "the program that is limited never ends",
	"internal/show/top/screen_test.go TestScreenIsGivenBack":     "ends a hang",
	"test/hostile/role.go swap":                                  "an attacker, who goes on until the test ends him",
	"test/hostile/role.go exchange":                              "another one",
	"test/await/await.go That":                                   "what all others wait with",
	"test/progress/main.go follow":                               "ends a hang, after a signal",
	"test/progress/main.go main":                                 "tells a person what runs; nothing waits for it",
	"test/scripts/jam_test.go jam": "waits for a state, with the patience of " +
		"test/await, which takes a testing.TB",
	"test/servers/crash_test.go TestCrashRestart": "a restart has to be late enough, and later does " +
		"no harm; the query is ended by its session's end",
	"test/servers/crash_test.go TestLongRecoveryIsNoCrash": "a recovery has to be long enough, and longer does " +
		"no harm",
	"test/servers/killrun_test.go run": "looks at the journal again; the moment of a kill " +
		"is drawn, and any is good",
	"test/servers/log_test.go logLife":               "a query that is at work until it is killed",
	"test/servers/movewal_test.go TestMoveWALKilled": "draws the moment of a kill: any is good",
	"test/servers/movewal_test.go worker":            "a client that tries again until the test ends it",
	"test/servers/slow_test.go TestSlowPairs": "looks again until the server's own clock says " +
		"that a lock was waited for",
	"test/servers/tablespacecommand_test.go killed": "draws the moment of a kill: any is good",
	"test/servers/watch_test.go TestWatch":          "a gap has to be long enough, and longer is one as well",
	"test/system/agent/guest/main.go main":          "tries again until somebody listens",
	"test/system/guest_test.go dial":                "waits for QEMU's socket, until its context ends",
	"test/system/guest_test.go start": "looks each second whether the console has grown, until its " +
		"context ends",
	"test/system/overcommit_test.go crowd": "a session that does nothing until the machine is " +
		"switched off",
	"test/creating/kill_test.go killed": "looks at the journal again; the moment of a kill is drawn, and any is good",
	"test/kernel/pagetables_test.go cost": "keeps the best of some times, which it reports " +
		"and does not judge",
	"test/system/overcommit_test.go answers": "asks again until the server answers, for two minutes",
	"test/web/browser.go until":              "waits for a state, until its context ends",
}

// TestTestsWaitForStates verifies that no test depends on how fast a machine is: that none sleeps, waits for a time,
// limits what has to succeed to less than half a minute, or compares how long something took, but those that say why;
// and that none takes a port by number, or one that it has given back.
func TestTestsWaitForStates(t *testing.T) {
	seen, used := 0, map[string]bool{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case strings.HasPrefix(rel, "test/scripts/") && strings.HasSuffix(rel, ".txtar"):
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			for n, line := range strings.Split(string(b), "\n") {
				if sleeps.MatchString(line) {
					t.Errorf("%s:%d: %s: a script waits for a state, as jam does", rel, n+1, line)
				}
			}
			return nil
		case !strings.HasSuffix(rel, ".go") || !strings.HasSuffix(rel, "_test.go") &&
			!strings.HasPrefix(rel, "test/") || strings.HasPrefix(rel, "test/house/"):
			return nil
		}
		seen++
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, p, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, o := range clocksIn(f) {
			where := rel + " " + o.function
			used[where] = true
			if onTheClock[where] == "" {
				t.Errorf(
					"%s:%d: %s: %s; wait for a state (test/await), use testing/synctest, or say in onTheClock why "+
						"it holds on any machine",
					rel, set.Position(o.at).Line, o.function, o.what)
			}
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Fatalf("%d files: %v", seen, err)
	}
	for _, where := range slices.Sorted(maps.Keys(onTheClock)) {
		if !used[where] {
			t.Errorf("%s looks at no clock any more: take it out of onTheClock", where)
		}
	}
}

// sleeps is a line of a script that waits for a time.
var sleeps = regexp.MustCompile(`^\s*(!\s*)?(exec\s+)?sleep\b`)

// sleepsInside is a text of another language that does.
var sleepsInside = regexp.MustCompile(`(?i)\bpg_sleep\([0-9]|\bsleep [0-9]`)

// leastLimit is how long what has to succeed may take at least: what takes
// milliseconds has been seen to take ten seconds on a busy machine.
const leastLimit = 30 * time.Second

// onClock is one place that looks at a clock or at a port.
type onClock struct {
	at       token.Pos
	function string
	what     string
}

// clocksIn finds them. What is written within a bubble of synctest has a clock of
// its own.
func clocksIn(f *ast.File) (out []onClock) {
	for _, d := range f.Decls {
		name := "a variable"
		if fn, ok := d.(*ast.FuncDecl); ok {
			name = fn.Name.Name
		}
		c := &clockFinder{function: name, listeners: map[string]bool{}, durations: map[string]bool{}}
		ast.Inspect(d, c.names)
		ast.Inspect(d, c.look)
		out = append(out, c.found...)
	}
	return out
}

type clockFinder struct {
	function  string
	listeners map[string]bool // variables that hold something with a port
	durations map[string]bool // variables that hold how long something took
	found     []onClock
}

func (c *clockFinder) add(n ast.Node, format string, args ...any) {
	c.found = append(c.found, onClock{n.Pos(), c.function, fmt.Sprintf(format, args...)})
}

// names remembers variables.
func (c *clockFinder) names(n ast.Node) bool {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 {
		return true
	}
	call, _ := a.Rhs[0].(*ast.CallExpr)
	id, _ := a.Lhs[0].(*ast.Ident)
	if call == nil || id == nil {
		return true
	}
	switch named := selected(call.Fun); {
	case named == "time.Since":
		c.durations[id.Name] = true
	case named == "net.Listen" && len(call.Args) > 0 && strings.HasPrefix(literal(call.Args[0]), "tcp"),
		named == "net.ListenTCP",
		named == "httptest.NewServer", named == "httptest.NewTLSServer":
		c.listeners[id.Name] = true
	}
	return true
}

func (c *clockFinder) look(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return c.call(n)
	case *ast.DeferStmt:
		if sel, ok := n.Call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Close" {
			return false
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && slices.Contains([]string{"Timeout", "Wait", "Limit", "Within"},
			key.Name) {
			c.limit(n.Value, key.Name)
		}
	case *ast.AssignStmt:
		if sel, ok := n.Lhs[0].(*ast.SelectorExpr); ok && len(n.Rhs) == 1 && sel.Sel.Name == "Timeout" {
			c.limit(n.Rhs[0], "Timeout")
		}
	case *ast.BinaryExpr:
		if n.Op == token.LSS || n.Op == token.GTR || n.Op == token.LEQ || n.Op == token.GEQ {
			for _, side := range []ast.Expr{n.X, n.Y} {
				if c.took(side) {
					c.add(n, "compares how long something took")
				}
			}
		}
	case *ast.BasicLit:
		if s := literal(n); sleepsInside.MatchString(s) {
			c.add(n, "%q sleeps", sleepsInside.FindString(s))
		}
	}
	return true
}

// call checks a call; false: what is in it is not checked.
func (c *clockFinder) call(n *ast.CallExpr) bool {
	switch name := selected(n.Fun); name {
	case "synctest.Test":
		return false
	case "time.Sleep", "time.After", "time.Tick", "time.NewTimer", "time.NewTicker", "time.AfterFunc":
		c.add(n, "%s", name)
	case "runtime.NumGoroutine":
		c.add(n, "%s counts those of others as well", name)
	case "context.WithTimeout", "context.WithTimeoutCause":
		if len(n.Args) > 1 {
			c.limit(n.Args[1], name)
		}
	case "net.Listen":
		if len(n.Args) == 2 && strings.HasPrefix(literal(n.Args[0]), "tcp") {
			if at := literal(n.Args[1]); at != "" && !strings.HasSuffix(at, ":0") {
				c.add(n, "listens on %s, which may be another program's", at)
			}
		}
	}
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok && sel.Sel.Name == "Close" && c.listeners[id.Name] {
			c.add(n,
				"gives the port of %s back before its end, and another program may take it (test/nobody has one "+
					"where nobody listens)", id.Name)
		}
		if sel.Sel.Name == "Cleanup" {
			return false
		}
	}
	return true
}

// limit judges a limit where it can be read off the text.
func (c *clockFinder) limit(e ast.Expr, of string) {
	if d, ok := duration(e); ok && d < leastLimit {
		c.add(e, "%s of %s", of, d)
	}
}

// took reports whether an expression is how long something took.
func (c *clockFinder) took(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return selected(e.Fun) == "time.Since"
	case *ast.Ident:
		return c.durations[e.Name]
	}
	return false
}

// selected spells package.Name; "" for all else.
func selected(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := sel.X.(*ast.Ident); ok {
			return id.Name + "." + sel.Sel.Name
		}
	}
	return ""
}

// literal is the text of a string in the source; "" of all else.
func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		s, _ := strconv.Unquote(l.Value)
		return s
	}
	return ""
}

// duration reads a duration such as 5 * time.Second.
func duration(e ast.Expr) (time.Duration, bool) {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		d, ok := map[string]time.Duration{"time.Nanosecond": 1, "time.Microsecond": time.Microsecond,
			"time.Millisecond": time.Millisecond,
			"time.Second":      time.Second, "time.Minute": time.Minute, "time.Hour": time.Hour}[selected(e)]
		return d, ok
	case *ast.BinaryExpr:
		n, ok := e.X.(*ast.BasicLit)
		d, unit := duration(e.Y)
		if !ok || !unit || e.Op != token.MUL {
			return 0, false
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		return time.Duration(v * float64(d)), err == nil
	}
	return 0, false
}

// TestClocksAreFound verifies that each of what the house does not want is found, and what it wants instead is not.
func TestClocksAreFound(t *testing.T) {
	for code, want := range map[string]bool{
		`time.Sleep(time.Second)`: true,
		`<-time.After(x)`:         true,
		`synctest.Test(t, func(t *testing.T) { time.Sleep(time.Hour) })`:               false,
		`go func() { time.Sleep(1) }()`:                                                true,
		`await.That(t, "x", func() (bool, any) { return true, nil })`:                  false,
		`ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)`:               true,
		`ctx, cancel := context.WithTimeout(t.Context(), time.Minute)`:                 false,
		`ctx, cancel := context.WithTimeout(t.Context(), await.Patience)`:              false,
		`play(Command{Timeout: 200 * time.Millisecond})`:                               true,
		`play(Command{Limit: 10_000, Timeout: time.Minute})`:                           false,
		`h.client.Timeout = 50 * time.Millisecond`:                                     true,
		`if time.Since(began) > time.Second { t.Error() }`:                             true,
		`if took := time.Since(began); took < 3 { t.Error() }`:                         true,
		`t.Log(time.Since(began))`:                                                     false,
		`if runtime.NumGoroutine() != 3 { t.Error() }`:                                 true,
		`l, err := net.Listen("tcp", "127.0.0.1:0"); l.Close(); use(l.Addr())`:         true,
		`l, err := net.Listen("tcp", "127.0.0.1:0"); defer l.Close()`:                  false,
		`l, err := net.Listen("tcp", "127.0.0.1:5432"); defer l.Close()`:               true,
		`l, err := net.Listen("unix", name); l.Close()`:                                false,
		`s := httptest.NewServer(h); s.Close(); get(s.URL)`:                            true,
		`s := httptest.NewServer(h); t.Cleanup(func() { s.Close() })`:                  false,
		`c.Exec("select pg_sleep(1.1)")`:                                               true,
		`exec.Command("sh", "-c", "i=0; sleep 5")`:                                     true,
		`if s.Statement != "select pg_sleep(?)" { t.Error("State: S (sleeping)", 3) }`: false,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc TestX(t *testing.T) {\n"+code+"\n}\n",
			parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if found := clocksIn(f); (len(found) > 0) != want {
			t.Errorf("%s: found %+v", code, found)
		}
	}
	for line, want := range map[string]bool{"sleep 1s": true, "exec sleep 1": true, "! exec sleep 1": true,
		"State:	S (sleeping)": false, "stdout 'sleeping'": false} {
		if sleeps.MatchString(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}
