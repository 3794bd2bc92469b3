package cli

import (
	"fmt"
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
				return nil, say.Usage(fmt.Sprintf("invalid value for --pin: %q has no =", pin), form)
			}
			a, err := knob.Parse(strings.TrimSpace(name))
			if err != nil {
				return nil, say.Usage("--pin: "+err.Error(), say.DidYouMean(strings.TrimSpace(name),
					ruleAddresses(), form))
			}
			if strings.TrimSpace(value) == "" {
				return nil, say.Usage(fmt.Sprintf("invalid value for --pin: %s has no value", a), form)
			}
			if !plannedKnob(a) {
				return nil, say.Usage(fmt.Sprintf("invalid value for --pin: %s is not planned by pgfettle", a),
					say.DidYouMean(string(a), ruleAddresses(), "List the planned settings: pgfettle explain"))
			}
			if have, dup := pins[a]; dup && have != value {
				return nil, say.Usage(fmt.Sprintf("conflicting values for --pin: %s is pinned to %s and to %s", a, have,
					value),
					"Use only one of them.")
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
