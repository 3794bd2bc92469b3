// Package paste reads what people paste of a host: a ticket, a mail, a thread, with the
// outputs of several commands between prose, behind prompts and quotation marks, in
// fences, in several languages. It says which part of a text is what, which facts it
// holds, and which lines it did not recognize; and makes an evidence of it (Evidence).
//
// Each recognizer is asked at each line and takes the lines that are its own; the packages
// below hold them, a file a topic. A number is only as exact as it was printed: what free -m
// or df -h rounds is called so. What a paste does not hold is not known, and never zero; parts
// that contradict each other are told, and not mixed.
package paste

import "github.com/pgfettle/pgfettle/internal/fact/paste/part"

// Schema names the version of the JSON form.
const Schema = "pgfettle.read/1"

// Read is what was recognized in some files.
type Read struct {
	Schema string   `json:"schema"`
	Files  []File   `json:"files"`
	Hosts  []string `json:"hosts"` // that prompts and logs name, in their order
	// Host is the host whose parts are used; "" where no part names one
	Host  string `json:"host"`
	Parts []Part `json:"parts"` // in the order of the files and their lines
	// Unrecognized are the lines that are of no part, none of them left out
	Unrecognized []Stretch  `json:"unrecognized"`
	Conflicts    []Conflict `json:"conflicts"`
	Lines        Lines      `json:"lines"`
}

// File is a text that was given.
type File struct {
	Name  string `json:"name"` // "stdin" for standard input
	Lines int    `json:"lines"`
}

// Lines counts the lines of all files; the four others add up to Total.
type Lines struct {
	Total        int `json:"total"`
	Recognized   int `json:"recognized"`   // lines of parts
	Commands     int `json:"commands"`     // prompts and commands
	Blank        int `json:"blank"`        // empty lines, fences and rules
	Unrecognized int `json:"unrecognized"` // all others
}

// Part is a stretch of lines that is one thing, such as the output of one command.
type Part struct {
	Kind    part.Kind `json:"kind"`
	File    string    `json:"file"`
	First   int       `json:"first"` // line, from 1
	Last    int       `json:"last"`
	Sure    part.Sure `json:"sure"`
	Host    string    `json:"host,omitempty"`    // by the prompt before it, or by itself
	Command string    `json:"command,omitempty"` // that stands before it
	// Used says whether the evidence holds what this part says of the host
	Used   bool        `json:"used"`
	Unused string      `json:"unused,omitempty"` // why not: a clause
	Facts  []part.Fact `json:"facts"`
	Notes  []string    `json:"notes,omitempty"` // of what is odd about it, a sentence each

	body []string // its lines, made plain
	of   string   // whose it is, such as the process of smaps
	// planned says that it is not known to be in effect: what a program proposes, what a script would write
	planned bool
	typed   bool // its command stands behind a prompt
}

// Stretch is lines in a row that nothing was recognized in.
type Stretch struct {
	File  string `json:"file"`
	First int    `json:"first"` // line, from 1
	Last  int    `json:"last"`
	Lines int    `json:"lines"` // that are not blank
	Text  string `json:"text"`  // the first of them
}

// Conflict is a fact that two parts tell differently.
type Conflict struct {
	Fact string `json:"fact"`
	Of   string `json:"of,omitempty"`
	// Parts are the two, by their place in the list of parts
	Parts  [2]int `json:"parts"`
	Values [2]any `json:"values"`
	Unit   string `json:"unit,omitempty"`
	// Kept is the one whose value is used; -1: neither
	Kept int    `json:"kept"`
	Why  string `json:"why"` // what it means, a clause: another host, another moment
}

// Input is a text to be read.
type Input struct {
	Name string
	Text []byte
}

// Bounds of what is read. A ticket has some thousand lines; a log of more than this is
// for the commands that read logs.
const (
	MaxText  = 16 << 20 // bytes of all inputs together
	maxParts = 10_000
)

// Fact returns the first fact of a name, of what is named where of is not empty.
func (p *Part) Fact(name, of string) (part.Fact, bool) {
	for _, f := range p.Facts {
		if f.Name == name && (of == "" || f.Of == of) {
			return f, true
		}
	}
	return part.Fact{}, false
}

// UsedParts counts the parts that the evidence is made of.
func (r *Read) UsedParts() int {
	n := 0
	for i := range r.Parts {
		if r.Parts[i].Used {
			n++
		}
	}
	return n
}
