package conftext

import (
	"strings"
)

// edits says whether a line is a call of sed, or a further expression of one.
func edits(t string) bool {
	if !strings.Contains(t, "sed ") {
		return strings.HasPrefix(strings.TrimSpace(t), "-e") && strings.Contains(t, "s/")
	}
	return len(edited(t)) > 0
}

// edited reads what a call of sed writes into a configuration: the right side of each s/…/…/, and the text of c\,
// a\ and i\. What stands on the left is what was there before.
func edited(l string) []Setting {
	if !strings.Contains(l, "sed ") && !strings.HasPrefix(strings.TrimSpace(l), "-e") {
		return nil
	}
	var out []Setting
	for i := 0; i+4 < len(l) && len(out) < 100; i++ {
		if i > 0 && !strings.ContainsRune("\"' e;{/$0123456789\\", rune(l[i-1])) {
			continue
		}
		text, n := "", 0
		switch sep := l[i+1]; {
		case l[i] == 's' && strings.IndexByte("/|#@,!~%:", sep) >= 0:
			left := untilByte(l[i+2:], sep)
			if left < 0 {
				continue
			}
			right := untilByte(l[i+3+left:], sep)
			if right < 0 {
				continue
			}
			text, n = l[i+3+left:i+3+left+right], 3+left+right
		case strings.IndexByte("cai", l[i]) >= 0 && sep == '\\':
			text = l[i+2:]
			if quote := strings.LastIndexAny(l[:i], "\"'"); quote >= 0 {
				text, _, _ = strings.Cut(text, l[quote:quote+1])
			}
			n = len(text)
		}
		text = strings.TrimLeft(strings.ReplaceAll(text, `\/`, "/"), " \\")
		if list := meant(text); text != "" && list != nil && !strings.ContainsAny(text, "&") && telling(list[0].Name) {
			for _, s := range list {
				s.Template = s.Template || strings.Contains(s.Value, `\1`) || strings.Contains(s.Value, "$")
				out = append(out, s)
			}
			i += n
		}
	}
	return out
}

// untilByte is how far a separator is that no backslash escapes; -1 where there is none.
func untilByte(s string, sep byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case sep:
			return i
		}
	}
	return -1
}
