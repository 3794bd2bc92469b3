package conftext

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Of two lists of a text that have this many names in common, and at least this part of the shorter one, neither
// replaces the other: they are for two servers, or are the same server's at two times.
const (
	commonNames = 2
	commonPart  = 2
)

// part is a word by which a heading or a comment tells one of several servers, or one of several states, from another.
var part = regex.New(`(?i)\b(?:production|development|staging|local|coordinator|worker nodes|workers|primary|standby|` +
	`replicas?|before|after|defaults?|tuned|optimized|oltp|olap|` +
	`(?:server|node|option) ?[#\d]\w*|avant|après|antes|después|depois|vorher|nachher)\b|` +
	`\b(?:до|после|было|стало)(?:\s|$)|` +
	`修改前|修改后|优化前|优化后|变更前|变更后|调整前|调整后|生产|开发|主库|从库|変更前|変更後`)

// ofVersion is a comment that says for which version of the server the lines below are.
var ofVersion = regex.New(`(?i)^(?:for )?(?:PostgreSQL|Postgres|PG)[ -]?v?\d[\d.]*\b`)

// A branch of a shell script begins with a line of one of these forms; of several, one is run.
var (
	branch    = regex.New(`^(?:\$\()?(?:if|elif)\s.{0,200}\bthen$|^else$|^(?:[\w"'|*.-]{1,60})\)$`)
	branchEnd = regex.New(`^(?:fi|esac)\)?;?$`)
)

func branched(part string) bool { return strings.HasPrefix(part, "branch ") }

// partOf is which part of a text a comment or a heading begins; "" for none.
func partOf(t string, fenced bool) string {
	bare := strings.TrimLeft(t, "#-/*; ")
	noted := bare != t && (strings.HasPrefix(t, "#") || strings.HasPrefix(t, "--") || strings.HasPrefix(t, "//"))
	headed := heads(t) && (!fenced || strings.HasSuffix(t, ":") || strings.HasSuffix(t, "："))
	if len(t) > shownLine || !noted && !headed || strings.Contains(bare, "=") {
		return ""
	}
	if m := ramProse.FindString(bare); m != "" {
		return m
	}
	if m := ofVersion.FindString(bare); m != "" && noted {
		return strings.ToLower(m)
	}
	return strings.ToLower(part.FindString(bare))
}

// alternatives gives each of several lists that stand in fences of their own, or below headings or comments with
// different memory or of different servers, a server of its own if they set the same names: a README has one list for
// 16 GB and one for 64 GB. Statements in fences of their own are run one after the other.
func alternatives(lines []line, list []Setting, fences bool) []Setting {
	at := make([]string, len(lines)+1) // the list that each line is of
	now, head, fenced := "", "", beginsFenced(lines)
	for _, l := range lines {
		t := strings.TrimSpace(l.text)
		switch {
		case fence.MatchString(t):
			if fenced = !fenced; fenced && fences {
				now = strconv.Itoa(l.n)
			} else {
				now = head
			}
		case t == "":
		default:
			switch m := partOf(t, fenced); {
			case branch.MatchString(t): // of a script, which runs one of them
				now = "branch " + strconv.Itoa(l.n)
			case branchEnd.MatchString(t):
				now = head
			case branched(now): // a comment within a branch
			case m != "":
				if now = m; !fenced {
					head = m
				}
			}
		}
		at[l.n] = now
	}
	names := map[string]map[string]bool{}
	var order []string
	for _, s := range list {
		k := at[min(s.Line, len(lines))]
		if names[k] == nil {
			names[k] = map[string]bool{}
			order = append(order, k)
		}
		names[k][s.Name] = true
	}
	if !shares(order, names) {
		return list
	}
	out := make([]Setting, 0, len(list))
	for _, s := range list {
		if s.Server == "" {
			s.Server = at[min(s.Line, len(lines))]
		}
		out = append(out, s)
	}
	return out
}

// beginsFenced says whether a text begins within a fence, whose opening was not copied.
func beginsFenced(lines []line) bool {
	n, bare := 0, false
	for _, l := range lines {
		if t := strings.TrimSpace(l.text); fence.MatchString(t) {
			if n++; n == 1 {
				bare = strings.Trim(t, "`~") == ""
			}
		}
	}
	return bare && n%2 == 1
}

// shares says whether two of the lists have most of their names in common.
func shares(order []string, names map[string]map[string]bool) bool {
	for i, a := range order {
		for _, b := range order[:i] {
			common := 0
			for n := range names[a] {
				if names[b][n] {
					common++
				}
			}
			if common > 0 && versionPart(a) && versionPart(b) {
				return true // the line of one version, and that of another
			}
			if common >= commonNames && commonPart*common >= min(len(names[a]), len(names[b])) {
				return true
			}
		}
	}
	return false
}

// versionPart says whether a part is for a version of the server.
func versionPart(part string) bool { return ofVersion.MatchString(part) }

// heads says whether a line outside of fences could be the heading of a list.
func heads(t string) bool {
	return t != "" && len(t) <= shownLine && !strings.Contains(t, "=") &&
		(t[0] == '#' || t[0] == '*' || t[0] == '-' || strings.HasSuffix(t, ":") || strings.HasSuffix(t, "："))
}
