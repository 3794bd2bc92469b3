package evidence

import "strings"

// prose redacts a reason or a hint: paths in it, addresses, everything in quotes, and every name that was met elsewhere
// in the archive.
func (r *redactor) prose(s string) string {
	words := strings.Split(s, " ")
	quoted := false
	for i, w := range words {
		opens := 0
		for _, c := range w {
			if strings.ContainsRune(`"«»“”„`, c) {
				opens++
			}
		}
		bare := strings.Trim(w, `"'«»“”„.,;:()`)
		switch {
		case bare == "", r.ours(bare): // of an earlier redaction, such as custom.param7
		case quoted || opens > 0:
			words[i] = strings.Replace(w, bare, r.quoted(bare), 1)
		case strings.Contains(w, "/") || strings.ContainsAny(bare, "=."): // a path, a setting, a host
			words[i] = r.path(w)
		default:
			if p, ok := r.address(bare); ok {
				words[i] = strings.Replace(w, bare, p, 1)
			} else if p := r.anywhere(bare); p != "" {
				words[i] = strings.Replace(w, bare, p, 1)
			}
		}
		if opens%2 == 1 {
			quoted = !quoted
		}
	}
	return strings.Join(words, " ")
}

// quoted redacts what a message quotes: mostly a name.
func (r *redactor) quoted(s string) string {
	if p := r.anywhere(s); p != "" {
		return p
	}
	return r.path(s)
}
