package pasted

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// estimateBeside are the estimated rows beside the actual ones, without their costs
	estimateBeside = regex.New(`\((?:est(?:imated|\.)? ?)?rows=(\d[\d,]*)(?:\) \(|[, ] ?)actual ((?:time|rows|loops)=)`)
	// drawnNode is a node of a tree that was drawn with lines
	drawnNode = regex.New(`^([\s│|┃]*)[└├╰╚╠┗┣][─━═-]{0,3}>?\s*(` + strings.TrimPrefix(HeadWords, "^") + `.*)$`)
	// ownLine is a property of a node, or what stands for lines that were left out
	ownLine = regex.New(`^\s*(?:[A-Z][A-Za-z/-]*(?: [A-Za-z/]+){0,4}: ?\S|(?:\.{2,}|…)\s*$|(?:CTE|InitPlan|SubPlan)\b)`)
)

// drawn makes arrows of the lines of a tree that a person drew.
func drawn(lines []string) []string {
	var out []string
	for i, l := range lines {
		m := drawnNode.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if out == nil {
			out = append(out, lines...)
		}
		indent := len([]rune(m[1]))
		out[i] = strings.Repeat(" ", indent+2) + "->  " + m[2]
	}
	if out == nil {
		return lines
	}
	return out
}

// withArrows puts an arrow before nodes that have none and are deeper than the first one of their plan: EXPLAIN writes
// one before each. Lines without figures are nodes only where no line of the plan has an arrow.
func withArrows(lines []string) []string {
	var out []string
	for i := 0; i < len(lines); {
		m := nodeBegin.FindStringSubmatchIndex(lines[i])
		if m == nil || m[4] >= 0 || !headed(lines[i], m) {
			i++
			continue
		}
		root, end, arrows := m[3], i+1, false
		for ; end < len(lines) && strings.TrimSpace(lines[end]) != ""; end++ {
			n := nodeBegin.FindStringSubmatchIndex(lines[end])
			if n == nil && !ownLine.MatchString(lines[end]) || n != nil && n[4] < 0 && n[3] <= root {
				break
			}
			arrows = arrows || n != nil && n[4] >= 0
		}
		for k := i + 1; k < end; k++ {
			n := nodeBegin.FindStringSubmatchIndex(lines[k])
			if n == nil || n[4] >= 0 || mark(lines[k]) == len(lines[k]) && (arrows || !headed(lines[k], n)) {
				continue
			}
			if out == nil {
				out = append(out, lines...)
			}
			out[k] = lines[k][:n[3]] + "->  " + lines[k][n[3]:]
		}
		i = end
	}
	if out == nil {
		return lines
	}
	return out
}

// headed says whether a line is a node's name, with or without figures.
func headed(l string, m []int) bool {
	if at := mark(l); at < len(l) {
		l = l[:at]
	}
	return shortHead.MatchString(strings.TrimRight(l[m[3]:], " .…"))
}
