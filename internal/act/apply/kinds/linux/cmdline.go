package linux

import (
	"regexp"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// bootSpan finds the words of a kernel's command line with the blanks before them.
var bootSpan = regexp.MustCompile(`\s*\S+`)

// setWord returns a command line with a word that has a value: in place of the last one of that name, else behind all
// words. Everything else stays as it is, byte for byte, so that taking a new word out again gives what was there.
func setWord(text, name, value string) string {
	at := spansOf(text, name)
	if len(at) > 0 {
		s := at[len(at)-1]
		old := text[s[0]:s[1]]
		blank := old[:len(old)-len(strings.TrimLeft(old, " \t\r\n"))]
		return text[:s[0]] + blank + bootWord(name, value) + text[s[1]:]
	}
	line := strings.TrimRight(text, " \t\r\n")
	word := bootWord(name, value)
	if line != "" {
		word = " " + word
	}
	return line + word + text[len(line):]
}

// withoutWord takes all words of a name out, each with the blanks before it.
func withoutWord(text, name string) string {
	at := spansOf(text, name)
	for i := len(at) - 1; i >= 0; i-- {
		text = text[:at[i][0]] + text[at[i][1]:]
	}
	return text
}

func spansOf(text, name string) (out [][]int) {
	for _, s := range bootSpan.FindAllStringIndex(text, -1) {
		if n, _, _ := strings.Cut(strings.TrimSpace(text[s[0]:s[1]]), "="); n == name {
			out = append(out, s)
		}
	}
	return out
}

// asWord brings a command line to the value that a name is to have; "" for none.
func asWord(text, name, value string) string {
	switch wordOf(strings.Fields(text), name) {
	case value:
		return text
	}
	if value == "" {
		return withoutWord(text, name)
	}
	return setWord(text, name, value)
}

// inText is wordOf for a file that may not be there.
func inText(f *journal.File, name string) string {
	if f == nil || f.Text == nil {
		return ""
	}
	return wordOf(strings.Fields(*f.Text), name)
}

// optionsOf returns the place of the words of the options lines of an entry for the
// boot loader (type #1 of the Boot Loader Specification), and its other keys.
func optionsOf(text string) (options [][2]int, keys map[string]string) {
	keys = map[string]string{}
	at := 0
	for _, line := range splitLines(text) {
		bare := strings.TrimRight(line, "\r\n")
		key := strings.TrimLeft(bare, " \t")
		lead := len(bare) - len(key)
		if i := strings.IndexAny(key, " \t"); i > 0 && key[0] != '#' {
			if name := key[:i]; name == "options" {
				options = append(options, [2]int{at + lead + i, at + len(bare)})
			} else {
				keys[name] = strings.TrimSpace(key[i:])
			}
		}
		at += len(line)
	}
	return options, keys
}

// entryWords returns the command line of an entry: its options lines together.
func entryWords(text string) (words []string) {
	at, _ := optionsOf(text)
	for _, s := range at {
		words = append(words, strings.Fields(text[s[0]:s[1]])...)
	}
	return words
}

// asEntry brings an entry to the value that a name is to have.
func asEntry(text, name, value string) string {
	at, _ := optionsOf(text)
	if len(at) == 0 || wordOf(entryWords(text), name) == value {
		return text
	}
	last := len(at) - 1 // the word goes where it stands last, else behind all others
	for i := last; i >= 0; i-- {
		if len(spansOf(text[at[i][0]:at[i][1]], name)) > 0 {
			last = i
			break
		}
	}
	for i := len(at) - 1; i >= 0; i-- {
		line := text[at[i][0]:at[i][1]]
		switch {
		case value == "":
			line = withoutWord(line, name)
		case i == last:
			line = setWord(line, name, value)
		}
		text = text[:at[i][0]] + line + text[at[i][1]:]
	}
	return text
}
