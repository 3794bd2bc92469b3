package conftext

import "github.com/pgfettle/pgfettle/internal/base/regex"

var (
	iniSection = regex.New(`^\[[\w.:-]{1,60}\]\s*$`)
	iniEnd     = regex.New("(?i)^\\s*(?:```|~~~|\\[/?(?:code|quote|pre)\\]|\\{(?:code|noformat)|EO[FTL]$)")
	backrest   = regex.New(`^(?:repo|pg)\d+-[\w-]+\s*=`)
)

// Sections says which lines of a text are of a file with sections, of the program that form names: from the first one
// up to the end of the fence or of the here-document. What pgBackRest reads is known by its keys. "": of none.
func Sections(lines [][]byte, form Form) []Form {
	of := make([]Form, len(lines))
	in, begin, now := false, 0, form
	for i, l := range lines {
		switch {
		case iniEnd.Match(l):
			in = false
		case iniSection.Match(l):
			in, begin, now = true, i, form
		case backrest.Match(l):
			if of[i], now = PgBackups, PgBackups; !in {
				continue
			}
			for k := begin; k < i; k++ {
				of[k] = now
			}
		}
		if in {
			of[i] = now
		}
	}
	return of
}
