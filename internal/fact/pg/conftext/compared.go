package conftext

import "github.com/pgfettle/pgfettle/internal/base/regex"

// What people compare their settings with: the default, what a tool proposes.
var (
	// a parameter that heads a list of its values
	aloneName = regex.New("^[\\s>*•·–#-]{0,12}(?:\\d{1,2}[.)] )?[`*_]{0,3}([a-z][a-z0-9_.]{2,62})" +
		"[`*_]{0,3}\\s*:?\\s*[`*_]{0,3}$")
	// «Ours: 7GB / default: 128MB», «- current value = `7GB`»
	oursValue = regex.New("(?i)(?:^|[\\s(*>/|,;–-])(?:ours?|mine|my|current(?:ly)?|present|actual|effective|in use|" +
		"now|production|prod|configured|set to|we (?:have|use|set|run))(?: (?:value|setting|config|one|is))?" +
		"[`*_]{0,3}\\s*[:=]\\s*[`*_]{0,3}('[^']{1,64}'|-?\\d[\\w.]{0,16}(?: (?:[kMGT]B|ms|s|min|h|d)\\b)?|on|off|" +
		"[a-z]{2,16})[`*_]{0,3}(?:$|[\\s,;/|).(])")
	// the same in one line, behind the name
	beforeOurs = regex.New("^[\\s>*•·–-]{0,12}[`*_]{0,3}([a-z][a-z0-9_.]{2,62})[`*_]{0,3}\\s*[:(–-]")
)

// comparedLines is how far a value may be below the name that heads it.
const comparedLines = 4

// compared reads a list in which each parameter has several values, of which one is said to be in use.
func (r *reader) compared() Text {
	t := Text{Form: Pasted}
	name, at := "", 0
	for _, l := range r.lines {
		if m := aloneName.FindStringSubmatch(l.text); m != nil && telling(m[1]) {
			name, at = m[1], l.n
			continue
		}
		if m := beforeOurs.FindStringSubmatch(l.text); m != nil && telling(m[1]) {
			name, at = m[1], l.n
		}
		if name == "" || l.n-at > comparedLines {
			continue
		}
		m := oursValue.FindStringSubmatch(l.text)
		if m == nil || refused(name, unquote(m[1])) {
			continue
		}
		t.Settings = append(t.Settings, setting(name, unquote(m[1]), l.n))
		name = ""
	}
	return t
}
