package unwrap

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	comment = regex.New(`^ {0,8}(?:#+|//+|--|\*|;|%)(?: ⎿)?(?: |$)`)
	bullet  = regex.New("^[ \t]{0,6}(?:[-*•·+]|\\d{1,3}[.)]) {1,3}`")
)

// findComment finds the marks of a comment before nearly all lines. A line with none is no comment.
func findComment(s *sample) cut {
	if len(s.lines) < 3 || !s.all(0.9, comment.Match) || !s.most(0.8, comment.Match) {
		return nil
	}
	return off(func(l []byte) int {
		if at := comment.FindIndex(l); at != nil {
			return at[1]
		}
		return 0
	})
}

// findBullet finds lines that somebody made items of a list, as code. Without the marks of code a list may be YAML.
func findBullet(s *sample) cut {
	if !s.most(0.8, bullet.Match) || !s.all(0.35, bullet.Match) {
		return nil
	}
	return each(func(l []byte) []byte {
		if at := bullet.FindIndex(l); at != nil {
			l = bytes.TrimRight(l[at[1]:], " \t")
			l = bytes.TrimSuffix(l, []byte("`"))
		}
		return l
	})
}
