package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// pure is what base, fact and judge may import besides each other: what computes with
// values and looks at nothing. A package that opens files, asks a clock, draws numbers
// or talks to anybody is not in it; io/fs is, as the evidence is one.
var pure = []string{
	"bufio", "bytes", "cmp", "compress/gzip", "crypto/sha256", "embed", "encoding/binary", "encoding/csv",
	"encoding/hex", "encoding/json", "encoding/xml", "errors", "fmt", "hash/crc32", "html", "io", "io/fs", "maps",
	"math", "math/bits", "net/netip",
	"path", "regexp", "slices", "sort", "strconv", "strings", "sync", "time", "unicode", "unicode/utf16",
	"unicode/utf8", "github.com/BurntSushi/toml", "golang.org/x/text/encoding/charmap",
	"github.com/kljensen/snowball/english", "github.com/kljensen/snowball/french",
	"github.com/kljensen/snowball/russian", "golang.org/x/text/encoding",
	"golang.org/x/text/encoding/unicode", "gonum.org/v1/gonum/mathext",
	module + "docs/pages", // words alone
}

// clocks are the functions of package time that ask the clock of this machine.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "NewTimer", "NewTicker", "AfterFunc", "Tick"}

// TestPureStoreys verifies that base, fact, judge and the embedded docs import nothing but what the list has, and ask
// no clock: the time is a fact of the evidence.
func TestPureStoreys(t *testing.T) {
	used := map[string]bool{}
	for _, dir := range []string{"internal/base", "internal/fact", "internal/judge", "docs"} {
		for _, s := range sources(t, dir) {
			for _, path := range s.imports() {
				if strings.HasPrefix(path, module+"internal/") {
					continue
				}
				if !slices.Contains(pure, path) {
					t.Errorf("%s imports %s, which is not in the list of what a pure storey may", s.path, path)
				}
				used[path] = true
			}
			ast.Inspect(s.file, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clocks, sel.Sel.Name) {
					t.Errorf("%s: time.%s: this storey is pure; the time is a fact of the evidence",
						s.set.Position(n.Pos()), sel.Sel.Name)
				}
				return true
			})
		}
	}
	for _, path := range pure {
		if !used[path] {
			t.Errorf("no pure storey imports %s any more: take it out of the list", path)
		}
	}
}

// reaches are the packages that run programs or dial: few, so that redirecting them to
// another host is one change.
var reaches = map[string]string{
	"act/target":   "runs programs on the host",
	"act/scratch":  "starts servers of its own",
	"act/pgclient": "dials servers",
	"act/collect":  "asks for the addresses of this host",
	"show/serve":   "listens; what it dials is its own socket, to see whether somebody is behind it",
}

// TestFewReachOut verifies that commands are run and sockets dialed in few places.
func TestFewReachOut(t *testing.T) {
	used := map[string]bool{}
	for _, s := range sources(t, "internal") {
		for _, path := range s.imports() {
			if path == "os/exec" || path == "net" {
				used[s.pkg] = true
				if reaches[s.pkg] == "" {
					t.Errorf("%s imports %s: only the target, scratch servers, and the client of servers reach out",
						s.path, path)
				}
			}
		}
	}
	for pkg := range reaches {
		if !used[pkg] {
			t.Errorf("%s reaches out no more: take it out of the list", pkg)
		}
	}
}
