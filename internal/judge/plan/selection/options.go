package selection

import "github.com/pgfettle/pgfettle/internal/base/knob"

// Options bound what is done.
type Options struct {
	MaxEffect  knob.Effect // changes that need more are omitted
	Only       []Which     // if not empty: only these
	Skip       []Which     // these not, such as those that a person said no to
	AcceptRisk []Which     // changes of high risk that may be made
	Wait       bool        // for another apply to end, instead of refusing
}

// Warning is a sentence about the changes that it is true of.
type Warning struct {
	Of   []Which
	Text string
}
