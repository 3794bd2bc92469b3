package say

import (
	"strings"
)

// Number is a number, perhaps with a unit after a space or with a percent sign, as English
// writes it: "1.2 GB", "90,000", "37%". A message writes it as its reader's language does.
type Number string

// String returns it as English writes it.
func (n Number) String() string { return string(n) }

// In returns it as the language of a catalog writes it.
func (n Number) In(c *Catalogue) string { return c.number(string(n)) }

// numerals is how a language writes numbers, as shared/terms.md has it of PostgreSQL's own
// translators and the typography of the country.
type numerals struct {
	thousands string
	units     map[string]string // others stay
}

const (
	noBreak     = "\u00a0"
	narrowBreak = "\u202f"
)

var numeralsOf = map[string]numerals{
	"fr": {narrowBreak, map[string]string{"B": "o", "kB": "ko", "MB": "Mo", "GB": "Go", "TB": "To", "PB": "Po",
		"EB": "Eo", "B/s": "o/s", "kB/s": "ko/s", "MB/s": "Mo/s", "GB/s": "Go/s", "TB/s": "To/s", "MiB/s": "Mio/s"}},
	"ru": {noBreak, map[string]string{"B": "Б", "kB": "КБ", "MB": "МБ", "GB": "ГБ", "TB": "ТБ", "PB": "ПБ", "EB": "ЭБ",
		"B/s": "Б/с", "kB/s": "КБ/с", "MB/s": "МБ/с", "GB/s": "ГБ/с", "TB/s": "ТБ/с", "MiB/s": "МиБ/с",
		"ns": "нс", "µs": "мкс", "us": "мкс", "ms": "мс", "s": "с", "min": "мин", "h": "ч", "Hz": "Гц", "kHz": "кГц",
		"MHz": "МГц", "GHz": "ГГц"}},
}

// number writes a number of English form as the catalog's language does. What is no such
// number stays as it is.
func (c *Catalogue) number(s string) string {
	if c == nil {
		return s
	}
	n, ok := numeralsOf[c.Lang]
	figure, unit, spaced := strings.Cut(s, " ")
	if part, percent := strings.CutSuffix(s, "%"); percent && !spaced { // only English has no space there
		figure, unit, spaced = part, "%", true
	}
	if !ok || figure == "" || strings.Trim(figure, "0123456789.,+-−±") != "" {
		return s
	}
	figure = strings.NewReplacer(",", n.thousands, ".", ",").Replace(figure)
	if !spaced {
		return figure
	}
	if u, ok := n.units[unit]; ok {
		unit = u
	}
	return figure + noBreak + unit
}
