package say

import "strings"

// Exit codes that a Problem may carry; the whole table is in the help of every
// command.
const (
	CodeError    = 1 // something did not work
	CodeUsage    = 2 // the command line or a value in it is wrong
	CodeStale    = 4 // a fact that the plan depends on has moved
	CodeRefused  = 5 // a risk was not accepted, or another has the say
	CodePartly   = 6 // partly done; the journal says what
	CodeNoAccess = 7 // a right was missing; the hint names it
)

// Problem is an error for the person at the terminal, in PostgreSQL's three
// parts. It never holds a password or a whole conninfo.
type Problem struct {
	Message Message // one clause, lower case, no full stop: what went wrong
	Detail  Message // what was seen; may be empty
	Hint    Message // what to do about it; may be empty
	Code    int     // exit code: one of the Code constants
}

// Usage is the problem of a value that a person has to write otherwise.
func Usage(message, hint Message) error {
	return &Problem{Message: message, Hint: hint, Code: CodeUsage}
}

// Error returns message and detail in one line, in English as logs and documents have it; the hint is left to the
// caller that shows it.
func (p *Problem) Error() string { return p.In(nil) }

// In returns message and detail in one line, in the language of a catalog.
func (p *Problem) In(c *Catalogue) string {
	detail := strings.TrimSuffix(p.Detail.In(c), ".")
	if detail == "" {
		return p.Message.In(c)
	}
	return p.Message.In(c) + ": " + detail
}
