package pglog

import (
	"bytes"
	"sync"

	"github.com/pgfettle/pgfettle/internal/fact/pglog/translated"
)

// part is which part of an entry a word begins.
type part uint8

const (
	partNone part = iota
	partMessage
	partDetail
	partHint
	partQuery
	partContext
	partLocation
	partStatement
	partBacktrace
)

// label is a word that the server begins a line with, behind the prefix.
type label struct {
	part     part
	severity Severity
	language string // "": English; or severalLanguages, strangeLanguage
}

// foreign says whether the word is not English.
func (l label) foreign() bool { return l.language != "" }

// labels are the English words and those of the server's message catalogs in all languages.
var labels = sync.OnceValue(func() map[string]label {
	m := map[string]label{
		"INFO": {partMessage, Info, ""}, "NOTICE": {partMessage, Notice, ""}, "LOG": {partMessage, Log, ""},
		"WARNING": {partMessage, Warning, ""}, "ERROR": {partMessage, Error, ""},
		"FATAL": {partMessage, Fatal, ""}, "PANIC": {partMessage, Panic, ""},
		"DEBUG": {partMessage, Debug, ""}, "DETAIL": {partDetail, 0, ""}, "HINT": {partHint, 0, ""},
		"QUERY": {partQuery, 0, ""}, "CONTEXT": {partContext, 0, ""}, "STATEMENT": {partStatement, 0, ""},
		"LOCATION": {partLocation, 0, ""}, "BACKTRACE": {partBacktrace, 0, ""},
	}
	for _, w := range translated.Words() {
		l, ok := m[w.English]
		if !ok {
			continue
		}
		l.language = w.Language
		have, ok := m[w.Word]
		switch {
		case ok && have.language == "": // the English word of something
		case ok && have.language != l.language: // several languages write so
			have.language = severalLanguages
			m[w.Word] = have
		case !ok:
			m[w.Word] = l
		}
	}
	for _, d := range []string{"DEBUG1", "DEBUG2", "DEBUG3", "DEBUG4", "DEBUG5"} {
		m[d] = label{partMessage, Debug, ""}
	}
	return m
})

const (
	// severalLanguages is the language of a word that is one of several.
	severalLanguages = "several"
	// strangeLanguage is that of a word that is in no catalog.
	strangeLanguage = "?"
)

// maxLabel is longer than any word of them in bytes.
const maxLabel = 48

// labelled takes the word from the beginning of a text: "LOG:  text", and in
// French "INSTRUCTION :  text". A word of no list is one too where strange is set:
// the catalogue may be of another language or version. One space behind the word of a
// severity is enough where one is set: a page has eaten the other.
func labelled(b []byte, strange, one bool) (l label, rest []byte, ok bool) {
	head := b[:min(len(b), maxLabel)]
	// The usual ones first, without a look into the map.
	if len(b) > 5 && b[3] == ':' && b[4] == ' ' && b[5] == ' ' && b[0] == 'L' && b[1] == 'O' && b[2] == 'G' {
		return label{part: partMessage, severity: Log}, text(b[4:]), true
	}
	i := bytes.IndexByte(head, ':')
	if i < 1 || i+1 < len(b) && b[i+1] != ' ' {
		return l, nil, false
	}
	word := bytes.TrimSuffix(head[:i], []byte(" "))
	word = bytes.TrimSuffix(word, []byte("\u00a0"))
	l, ok = labels()[string(word)]
	if !ok {
		if !strange || i+2 >= len(b) || b[i+2] != ' ' || len(word) < 2 || span(word, strangeByte) < len(word) {
			return l, nil, false
		}
		l = label{part: partMessage, language: strangeLanguage}
	}
	// translators shortened those of the parts alone
	if l.part == partMessage && !one && (i+2 >= len(b) || b[i+2] != ' ') {
		return l, nil, false
	}
	return l, text(b[i+1:]), true
}

// strangeByte says what a severity of an unknown catalogue is made of: capitals, or
// letters that are no ASCII.
func strangeByte(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 0x80 }

// text is what follows a label: two spaces stand between, one where a translator
// wrote it so.
func text(b []byte) []byte {
	for range 2 {
		if len(b) > 0 && b[0] == ' ' {
			b = b[1:]
		}
	}
	return b
}

// severityOf reads the severity of csvlog and jsonlog; foreign says that it is not English.
func severityOf(b []byte) (s Severity, language string) {
	switch string(b) {
	case "LOG":
		return Log, ""
	case "ERROR":
		return Error, ""
	}
	l, ok := labels()[string(b)]
	if !ok || l.part != partMessage {
		return NoSeverity, strangeLanguage
	}
	return l.severity, l.language
}
