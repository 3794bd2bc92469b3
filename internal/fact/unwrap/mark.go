package unwrap

import (
	"bytes"
	"strings"
)

const (
	maxMark    = 200 // bytes of a mark
	maxMarks   = 64
	leastMarks = 3 // lines with the same mark make it one of who brought them
	leastDense = 6 // lines with a mark that only one line of the reader's shows
)

// findMark finds any other text that stands before each line, as what ran the program put it there:
// «[10.0.0.5] out: », «12:10:43 DEBUG| [stdout] ». A mark is what stands before the beginning of a reader's line;
// digits of it may differ.
func findMark(s *sample) cut {
	if s.Begin == nil || s.known == 0 {
		return nil
	}
	type mark struct {
		key               string
		begins, all, last int
	}
	var list []*mark
	at := map[string]*mark{}
	for _, l := range s.signs {
		n := s.Begin(string(l[:min(len(l), maxMark+200)]))
		if n <= 0 || n > maxMark {
			continue
		}
		key := markOf(string(l[:n]))
		if key == "" {
			continue
		}
		k := at[key]
		if k == nil {
			if len(list) == maxMarks {
				continue
			}
			k = &mark{key: key}
			at[key], list = k, append(list, k)
		}
		k.begins++
	}
	var kept []string
	for _, k := range list {
		first := -1
		for i, l := range s.lines {
			if _, ok := markedBy(l, k.key); ok {
				if k.all++; first < 0 {
					first = i
				}
				k.last = i
			}
		}
		dense := k.all >= leastDense && 2*k.all > k.last-first
		if k.begins >= leastMarks || k.begins >= 1 && dense {
			kept = append(kept, k.key)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return off(func(l []byte) int {
		for _, key := range kept {
			if n, ok := markedBy(l, key); ok {
				return n
			}
		}
		return 0
	})
}

// markOf is a text with each run of digits as one 0; "" for one that is no mark.
func markOf(s string) string {
	s = strings.TrimRight(s, " \t")
	if s == "" || s[0] == ' ' && strings.TrimSpace(s) == "" || strings.ContainsAny(s, `"'`) {
		return ""
	}
	var b strings.Builder
	letters, number := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if digit(c) {
			if !number {
				b.WriteByte('0')
			}
			number = true
			continue
		}
		number = false
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 {
			letters++
		}
		b.WriteByte(c)
	}
	key := b.String()
	if letters < 2 || strings.Contains(key, "=") || !strings.ContainsRune(":]|>)-", rune(key[len(key)-1])) {
		return ""
	}
	return key
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// markedBy returns where what follows a mark begins.
func markedBy(l []byte, key string) (at int, ok bool) {
	for k := 0; k < len(key); k++ {
		if at >= len(l) {
			return 0, false
		}
		if key[k] == '0' {
			from := at
			for at < len(l) && digit(l[at]) {
				at++
			}
			if at == from {
				return 0, false
			}
			continue
		}
		if l[at] != key[k] {
			return 0, false
		}
		at++
	}
	if bytes.HasPrefix(l[at:], []byte{' '}) || bytes.HasPrefix(l[at:], []byte{'\t'}) {
		return at + 1, true
	}
	return at, true
}
