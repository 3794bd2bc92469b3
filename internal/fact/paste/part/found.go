package part

import "slices"

// Found is what a recognizer took.
type Found struct {
	N     int // lines; 0: nothing
	Sure  Sure
	Kind  Kind // where a recognizer has several
	Facts []Fact
	Notes []string
	Body  []string // plain lines, for the evidence; nil: the lines that were taken
	Of    string
	Host  string
	// Planned says that something proposes these values or would write them: it is not known that they are in effect
	Planned bool
	// Answered is which of the commands in the line it is of, from 1; 0: by its kind
	Answered int
}

// MaxFacts is how many facts a part has at most.
const MaxFacts = 20_000 // of one part

// MaxShown is how many bytes of a text that is shown as it stands are kept.
const MaxShown = 200 // bytes of an unrecognized line that are kept

// Add adds facts, as long as a part may have more of them.
func (f *Found) Add(facts ...Fact) {
	if len(f.Facts)+len(facts) <= MaxFacts {
		f.Facts = append(f.Facts, facts...)
	}
}

// AddAgreed adds what several rows say, such as the version of the server, if all of them say the same.
func (f *Found) AddAgreed(facts []Fact) {
	if len(facts) > 0 && !slices.ContainsFunc(facts, func(x Fact) bool { return x != facts[0] }) {
		f.Add(facts[0])
	}
}
