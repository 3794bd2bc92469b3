package unit

import (
	"strconv"
	"strings"
)

// Fault is an error about a text that is no number, amount or version. Its parts are apart for package say, which has
// it in other languages.
type Fault struct {
	Text  string // one of Faults, with {value} and {unit}
	Value string // what was read
	Unit  string
}

// Error returns it in English.
func (f *Fault) Error() string {
	return strings.NewReplacer("{value}", strconv.Quote(f.Value), "{unit}", f.Unit).Replace(f.Text)
}

const (
	noMemory    = "{value} is not an amount of memory: write a number and B, kB, MB, GB or TB"
	muchMemory  = "{value} is not an amount of memory"
	noNumber    = "{value} is not a number"
	tooLarge    = "{value} is too large"
	hasNoUnit   = "{value} has the unit {unit}, but this setting has none"
	memoryUnits = "{value}: valid units are B, kB, MB, GB and TB"
	timeUnits   = "{value}: valid units are us, ms, s, min, h and d"
	noRelease   = "{value} is not a kernel release"
)

// Faults returns all texts of a Fault, for the catalogs.
func Faults() []string {
	return []string{noMemory, muchMemory, noNumber, tooLarge, hasNoUnit, memoryUnits, timeUnits, noRelease}
}
