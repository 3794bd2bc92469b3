// Package prose recognizes what people write of a host and a server: sentences, lists, the fields of
// forms.
package prose

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// What a sentence reports of a server: its version, the memory of its host, parameters with their values. A sentence
// that advises, asks or supposes reports nothing.
var (
	reProseParam = regex.New("(?:^|[\\s(,;:`*\"'])([a-z]+(?:_[a-z]+)+)[`*]{0,2} ?= ?[`'\"]?" +
		"(\\d{1,9}(?:\\.\\d{1,4})? ?(?:[kMGT]B|ms|s|min|h|d)?|on|off)(?:[\\s,;.)`'\"*]|$)")
	reProseRAM = regex.New(`(?i)\b(?:host|server|machine|system|instance|vm|node|box|serveur|сервер\p{L}*|rechner|` +
		`servidor)\b[^.;:]{0,60}?[\s~(](\d{1,5}) ?(?:gb|gib|go|гб) (?:of |de )?(?:physical |total |main |system )?` +
		`(?:ram|memory|mémoire|памяти|озу|speicher|memoria)\b`)
	reProsePG = regex.New(`(?i)\b(?:postgres(?:ql)?|pg)(?: version| server)? ?v?((?:9\.\d\.\d{1,2})|1\d\.\d{1,2})` +
		`(?:[\s,;:).]|$)`)
	reAdvises = regex.New(`(?i)\b(?:(?:compiled|built|linked) (?:with|against|for)|` +
		`should|recommend\w*|suggest\w*|advis\w+|try|tried|set|setting|increas\w+|` +
		`decreas\w+|rais\w+|lower\w*|reduc\w+|chang\w+|could|would|consider\w*|default\w*|if|e\.g|example|minimum|` +
		`at least|require\w*|need\w*|instead|from|until|since|before|versions?|upgrad\w+|releas\w+|fixed|maybe|can|` +
		`might|must|want|assum\w+|similar|other|another|then|restart|vs|than)\b|\?`)
)

// Bounds of a sentence that is looked at: below are items of lists, above are files without line breaks.
const (
	shortestProse = 40
	longestProse  = 4000
)

// ReadProse reads a paragraph. It is asked last: what has a form of its own is no prose.
func ReadProse(w *part.Window) (f part.Found) {
	t := w.Text(0)
	if len(t) < shortestProse || len(t) > longestProse || w.Lines[0].Is != part.Content || strings.Count(t, " ") < 7 ||
		!strings.ContainsAny(t, "0123456789") {
		return
	}
	for s := range strings.SplitSeq(strings.ReplaceAll(t, "! ", ". "), ". ") {
		if reAdvises.MatchString(s) {
			continue
		}
		if m := reProsePG.FindAllStringSubmatch(s, 2); len(m) == 1 {
			f.Add(part.Word("server.version", "", m[0][1]))
		}
		if m := reProseRAM.FindAllStringSubmatch(s, 2); len(m) == 1 {
			if n, ok := amount.Whole(m[0][1]); ok && n > 0 {
				f.Add(amount.Amount{Bytes: n * amount.GB, Step: amount.GB}.Fact("stated.memory", ""))
			}
		}
		for _, m := range reProseParam.FindAllStringSubmatch(s, 50) {
			v := strings.ReplaceAll(m[2], " ", "")
			if setting.Known(m[1]) && setting.Plausible(m[1], v) {
				f.Add(setting.Row(m[1], v, "", false))
			}
		}
	}
	if len(f.Facts) > 0 {
		f.N, f.Kind, f.Sure = 1, part.Stated, part.Likely
	}
	return f
}
