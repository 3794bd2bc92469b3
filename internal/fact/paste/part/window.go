package part

import "strings"

// Window is the lines that a recognizer may take, from the one that is asked about to the
// next prompt, fence or rule, with the command before them.
type Window struct {
	Lines   []Line
	Command string
	Name    string // of the file, where the part may be all of it
	Whole   bool   // the window begins where the content of its file does
	Named   bool   // the command stands behind a prompt that names the host
	Tries   *int   // that are left of what reads far before it knows
	Before  []Line // that stand above
	Item    bool   // the mark of an item was taken off
}

// MostFar is how often a file may begin what has to be read far, such as JSON, and turn out
// to be nothing: a hostile one would be gone through for each of its lines.
const MostFar = 200

// FarLines is how far such a thing is read at most.
const FarLines = 20_000

// Far says whether one more such thing may be tried, and returns its lines.
func (w *Window) Far() ([]Line, bool) {
	if w.Tries == nil || *w.Tries <= 0 {
		return nil, false
	}
	*w.Tries--
	return w.Lines[:min(len(w.Lines), FarLines)], true
}

// Text is a line of the window, from 0, without blanks around it; "" behind the last.
func (w *Window) Text(i int) string {
	if i < len(w.Lines) {
		return w.Lines[i].Text
	}
	return ""
}

// Block is the first lines of a window as they stand, set in or not.
func Block(w *Window, n int) []byte {
	var b strings.Builder
	for _, l := range w.Lines[:n] {
		b.WriteString(l.Indented + "\n")
	}
	return []byte(b.String())
}

// MostHeads is how many lines of a head are read before what it is of.
const MostHeads = 50
