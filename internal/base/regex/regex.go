// Package regex holds regular expressions that are compiled when they are first used.
// The readers have hundreds of them, and a command uses few: compiling all of them took
// half of the time in which the program starts.
package regex

import (
	"regexp"
	"sync"
)

// Regex is a regular expression in the syntax of package regexp. Its methods are those
// of regexp.Regexp. They may be called by several goroutines at once.
type Regex struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// all are the expressions of the program, for the test that compiles them.
var all []*Regex

// New is for variables of packages. An expression that is wrong panics when it is first
// used; a test compiles all of them before (CompileAll).
func New(text string) *Regex {
	p := &Regex{text: text}
	all = append(all, p)
	return p
}

// CompileAll compiles every expression of the packages that are linked in, and returns how
// many there are.
func CompileAll() int {
	for _, p := range all {
		p.Regexp()
	}
	return len(all)
}

// Regexp returns the compiled expression.
func (p *Regex) Regexp() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.text) })
	return p.re
}

// String returns the source of the expression.
func (p *Regex) String() string { return p.text }

// MatchString is that of regexp.Regexp, as are the following.
func (p *Regex) MatchString(s string) bool { return p.Regexp().MatchString(s) }

// Match reports whether b contains a match.
func (p *Regex) Match(b []byte) bool { return p.Regexp().Match(b) }

// FindString returns the leftmost match.
func (p *Regex) FindString(s string) string { return p.Regexp().FindString(s) }

// FindStringIndex returns where the leftmost match is.
func (p *Regex) FindStringIndex(s string) []int { return p.Regexp().FindStringIndex(s) }

// FindStringSubmatch returns the leftmost match and its groups.
func (p *Regex) FindStringSubmatch(s string) []string { return p.Regexp().FindStringSubmatch(s) }

// FindStringSubmatchIndex returns where the leftmost match and its groups are.
func (p *Regex) FindStringSubmatchIndex(s string) []int {
	return p.Regexp().FindStringSubmatchIndex(s)
}

// FindSubmatch returns the leftmost match and its groups.
func (p *Regex) FindSubmatch(b []byte) [][]byte { return p.Regexp().FindSubmatch(b) }

// FindSubmatchIndex returns where the leftmost match and its groups are.
func (p *Regex) FindSubmatchIndex(b []byte) []int { return p.Regexp().FindSubmatchIndex(b) }

// FindIndex returns where the leftmost match is.
func (p *Regex) FindIndex(b []byte) []int { return p.Regexp().FindIndex(b) }

// FindAllString returns at most n matches; all for n < 0.
func (p *Regex) FindAllString(s string, n int) []string { return p.Regexp().FindAllString(s, n) }

// FindAllStringIndex returns where at most n matches are.
func (p *Regex) FindAllStringIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns at most n matches with their groups.
func (p *Regex) FindAllStringSubmatch(s string, n int) [][]string {
	return p.Regexp().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns where at most n matches and their groups are.
func (p *Regex) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.Regexp().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString replaces the matches, with $1 for the groups.
func (p *Regex) ReplaceAllString(s, to string) string { return p.Regexp().ReplaceAllString(s, to) }

// ReplaceAll is ReplaceAllString of bytes.
func (p *Regex) ReplaceAll(b, to []byte) []byte { return p.Regexp().ReplaceAll(b, to) }

// ReplaceAllStringFunc replaces each match by what f makes of it.
func (p *Regex) ReplaceAllStringFunc(s string, f func(string) string) string {
	return p.Regexp().ReplaceAllStringFunc(s, f)
}
