package security

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// isRule reports whether a line of pg_hba.conf is a rule that allows or rejects.
func isRule(r pg.HBARule) bool { return r.Type != "" && !r.Broken }

// isRemote reports whether a rule is for clients on other hosts.
func isRemote(r pg.HBARule) bool { return r.Reach == "network" || r.Reach == "anywhere" }

// lineOf names a line: its number, and its file if that is an included one.
func lineOf(r pg.HBARule) say.Message {
	line := fmt.Sprint(r.Line)
	if r.File == "" || strings.HasSuffix(r.File, "/pg_hba.conf") {
		return say.M("line {line}", "line", line)
	}
	return say.M("line {line} of {file}", "line", line, "file", r.File)
}

// rule is a rule for people: its line, its users, from where, and more details.
func rule(r pg.HBARule, more ...say.Message) say.Message {
	details := []say.Message{say.M("some users")}
	if r.AllUsers {
		details[0] = say.M("all users")
	}
	if r.Replication {
		details = append(details, say.M("replication"))
	}
	switch r.Reach {
	case "socket":
		details = append(details, say.M("over the socket"))
	case "loopback":
		details = append(details, say.M("from this host"))
	case "network":
		details = append(details, say.M("from a network"))
	case "anywhere":
		details = append(details, say.M("from anywhere"))
	}
	return say.M("{line} ({rule})", "line", lineOf(r), "rule", say.List{Items: append(details, more...)})
}

// method is the authentication method of a rule, for people.
func method(r pg.HBARule) say.Message { return say.M("method {method}", "method", r.Method) }
