package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Unit is what systemd says of the unit that runs an instance
// (cmd/systemctl-show-NAME). What it says it set is not always in force: the
// kernel's files win.
type Unit struct {
	Name       string            `json:"name"`
	OOMPolicy  string            `json:"oom_policy"` // stop, continue, kill; empty before 243
	Properties map[string]string `json:"properties"`
}

// maxProperties bounds the properties: systemctl shows about 300 of a service.
const maxProperties = 4096

// ReadUnit reads cmd/systemctl-show-NAME.
func ReadUnit(fsys fs.FS, name string) known.Fact[Unit] {
	file := "cmd/systemctl-show-" + name
	f := evidence.Read(fsys, file, ParseUnit)
	u, ok := f.Get()
	if ok && u.Properties["LoadState"] == "not-found" {
		return known.None[Unit](known.Gap{Fact: file, Reason: "systemd knows no unit of this name"})
	}
	u.Name = name
	return known.Map(f, func(Unit) Unit { return u })
}

// ParseUnit parses what «systemctl show» printed: NAME=VALUE lines. The name of the unit is left empty. Lines that are
// none (the rest of a value of several lines) are skipped; a text without a property is an error.
func ParseUnit(b []byte) (Unit, error) {
	u := Unit{Properties: map[string]string{}}
	err := Lines(b, func(_ int, line string) error {
		key, val, ok := strings.Cut(line, "=")
		if !ok || key == "" || strings.ContainsFunc(key, notInProperty) {
			return nil
		}
		if len(u.Properties) == maxProperties {
			return fmt.Errorf("more than %d properties", maxProperties)
		}
		u.Properties[key] = val
		return nil
	})
	if err == nil && len(u.Properties) == 0 {
		err = errors.New("no property")
	}
	if err != nil {
		return Unit{}, err
	}
	u.OOMPolicy = u.Properties["OOMPolicy"]
	return u, nil
}

// notInProperty says that a rune does not belong to the name of a property:
// they are CamelCase words such as MemoryMax and OOMScoreAdjust.
func notInProperty(r rune) bool {
	return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9')
}
