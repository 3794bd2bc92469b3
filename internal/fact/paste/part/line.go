package part

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Line is a line of an input, made plain.
type Line struct {
	Raw      string // as it stands, without what the text was pasted in
	Number   int    // of the line of the input that it was in, from 1
	Indented string // without tags and blanks at its end
	Text     string // without blanks at its beginning too
	// End is behind the last line that a part that begins here may reach: the next prompt, fence or rule
	End int
	Is  Role
	// A block of preformatted text begins or ends at this line, which has text of its own:
	// no part reaches over it.
	Opens, Closes bool
	// said by a prompt or a command
	Host, Command string
	Typed         bool // the command stands behind a prompt: somebody ran it
}

// Role is what a line is before anything is recognized in it.
type Role uint8

// The roles.
const (
	Content Role = iota
	Blank
	Fence // ``` of Markdown, or the mark of a comment around it
	Rule  // ====, ----, ////
	Command
	Elided // …: lines were left out here
)

// Depth is how far a line is set in.
func (l *Line) Depth() int { return len(l.Indented) - len(l.Text) }

// reRemark is what an author wrote behind a value: "// this", "# this", "#this", "-- this", "<-- this". Where a path or
// an option may stand, a blank or a letter that neither has tells.
var reRemark = regex.New(`\s+(?:#|(?://|--|;)(?:\s|[^\x00-\x7F])|(?:<-+|←)\s).*$`)

// Bare is a value without what an author wrote behind it.
func Bare(s string) string {
	return strings.TrimSpace(reRemark.ReplaceAllString(s, ""))
}
