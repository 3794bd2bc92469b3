package scratch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// confText spells settings as lines of postgresql.conf, sorted by name. A name
// or value that could break out of its line is an error.
func confText(settings map[string]string) (string, error) {
	var t strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		v := settings[name]
		plain := strings.IndexFunc(name, func(r rune) bool {
			return !(r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		}) < 0
		if name == "" || !plain || strings.ContainsAny(v, "\n\r\x00") {
			return "", say.Err("setting {name}: not something that postgresql.conf can hold",
				"name", say.Quoted(name))
		}
		fmt.Fprintf(&t, "%s = '%s'\n", name, strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(v))
	}
	return t.String(), nil
}
