package cli

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// readPins reads the values of --pin. A comma separates pins only where an
// address and = follow it, so that a list stays whole:
// pg:shared_preload_libraries=a,b,pg:work_mem=64MB are two pins.
func readPins(said []string) (map[knob.Address]string, error) {
	pins := map[knob.Address]string{}
	const form = "Use --pin ADDRESS=VALUE, such as --pin pg:work_mem=64MB."
	for _, text := range said {
		for _, pin := range splitPins(text) {
			name, value, ok := strings.Cut(pin, "=")
			if !ok {
				return nil, say.Usage(say.M("invalid value for --pin: {pin} has no =", "pin", say.Quoted(pin)),
					say.M(form))
			}
			a, err := knob.Parse(strings.TrimSpace(name))
			if err != nil {
				return nil, say.Usage(say.M("--pin: {error}", "error", err), say.DidYouMean(strings.TrimSpace(name),
					ruleAddresses(), say.M(form)))
			}
			if strings.TrimSpace(value) == "" {
				return nil, say.Usage(say.M("invalid value for --pin: {value} has no value", "value", string(a)),
					say.M(form))
			}
			if !plannedKnob(a) {
				return nil, say.Usage(say.M("invalid value for --pin: {value} is not planned by pgfettle", "value",
					string(a)),
					say.DidYouMean(string(a), ruleAddresses(), say.M("List the planned settings: pgfettle explain")))
			}
			if have, dup := pins[a]; dup && have != value {
				return nil, say.Usage(say.M("conflicting values for --pin: {value} is pinned to {have} and to {value2}",
					"value", string(a), "have", have, "value2", value),
					say.M("Use only one of them."))
			}
			pins[a] = strings.TrimSpace(value)
		}
	}
	return pins, nil
}

func splitPins(text string) []string {
	var out []string
	for _, piece := range strings.Split(text, ",") {
		name, _, eq := strings.Cut(piece, "=")
		_, err := knob.Parse(strings.TrimSpace(name))
		if len(out) > 0 && !(eq && err == nil) {
			out[len(out)-1] += "," + piece
			continue
		}
		out = append(out, piece)
	}
	return out
}

func ruleAddresses() []string {
	var out []string
	for _, r := range rules.All() {
		out = append(out, string(r.Address))
	}
	return out
}

func plannedKnob(a knob.Address) bool {
	_, ok := rules.For(a)
	return ok
}
