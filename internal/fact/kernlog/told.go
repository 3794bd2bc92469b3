package kernlog

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// What people and the programs of a cluster tell of a kill, or of what looks like one.

var (
	// «The node was low on resource: memory. Container db was using 2097152Ki, which exceeds its request of 0.»
	reEvicted     = regex.New(`\bThe node was low on resource: (?:memory\b|\[?MemoryPressure\b)`)
	reEvictedWhat = regex.New(`\b[Cc]ontainer (\S{1,253}) was using (\d{1,18}(?:\.\d{1,6})?)([KMGT]i)?\b`)
	reEvictedLeft = regex.New(`\bavailable: (\d{1,18})([KMGT]i)?\b`)
	// «`Last State: Terminated / Reason: OOMKilled`» within a sentence
	reReasonIn = regex.New(`(?i)[\s\x60"'/(,*](?:reason|last state|terminated)["']?[*]{0,2} ?[:=]? ?` +
		`[*]{0,2}["'\x60(]?$`)
	reNamedIn = regex.New("`([a-z0-9][a-z0-9.]{0,60}(?:-[a-z0-9.]{1,60}){1,12})`")
	// «docker inspect shop-db», and the limit that it shows
	reInspected = regex.New(`\b(?:docker|podman)(?: container)? inspect (?:-\S{1,200} (?:'[^']{0,200}' )?)?` +
		`([a-zA-Z0-9][\w.-]{0,127})`)
	reInspectedLimit = regex.New(`\b(?:Memory|MemLimit|MemoryLimit)"?[=:] ?(\d{7,16})\b`)
	reExitCode       = regex.New(`(?i)^[\s"'|-]*exit_?-? ?code["']?\s*[:=]\s*["']?(\d{1,3})\b`)
	// What a person says in a sentence; without the number of the process it may be a warning.
	reKillerDid = regex.New(`(?i)\bOOM[-_ ]?killer (?:has |had |just )?(?:killed|terminated|kills|shot|ended)` +
		` (?:the |our |my |a )?(?:process |backend )?[\x60"*]{0,2}([\w./:@-]{1,64})[\x60"*]{0,2}:? ?` +
		`(?:process |backend )?[(\[]?(?:with )?(?:the )?(?:process )?(?:pid|id)[ :=#]{0,3}(\d{1,10})\b`)
	reKilledBy = regex.New(`(?i)(?:^|[\s(\x60"*])([\w./:@-]{1,64})[\x60"*]{0,2} ?(?:process |backend )?` +
		`[(\[]?(?:process )?(?:pid|id)[ :=#]{0,3}(\d{1,10})[)\]]?,? (?:was|got|has been|is|just got) ` +
		`(?:OOM[- ]?killed|` +
		`(?:killed|terminated|ended|shot) by (?:the )?(?:kernel'?s? |Linux )?(?:kernel )?OOM[-_ ]?killer)\b`)
)

// evicted reads why the kubelet evicted a pod.
func (p *Reader) evicted(l line) bool {
	if !reEvicted.MatchString(l.text) {
		return false
	}
	o := Other{At: l.at, Kind: Evicted, Text: l.text}
	if m := reEvictedWhat.FindStringSubmatch(l.text); m != nil {
		o.Name, o.Used = m[1], scaled(m[2], strings.TrimSuffix(m[3], "i"))
	}
	if m := reEvictedLeft.FindStringSubmatch(l.text); m != nil {
		o.Left = scaled(m[1], strings.TrimSuffix(m[2], "i"))
	}
	if !slices.ContainsFunc(p.log.Other, func(x Other) bool { // status and event have the same words
		return x.Kind == Evicted && x.Name == o.Name && sameSize(x.Used, o.Used)
	}) {
		p.add(o)
	}
	return true
}

// inspected takes the name of a container and its limit out of a line that shows what docker inspect does.
func (o *Other) inspected(text string) {
	if m := reInspected.FindStringSubmatch(text); m != nil {
		o.Name = m[1]
	}
	if m := reInspectedLimit.FindStringSubmatch(text); m != nil {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			b := unit.Bytes(n)
			o.Limit = &b
		}
	}
}

// named takes the name of a pod out of the words before.
func (o *Other) named(before string) {
	if m := reNamedIn.FindAllStringSubmatch(before, 8); m != nil {
		o.Name = m[len(m)-1][1]
	}
}

// exited notes that a container was ended by signal 9, in a field that has no word of memory.
func (p *Reader) exited(b []byte) {
	const most = 64
	if len(b) > most || !bytes.Contains(b, []byte("137")) {
		return
	}
	if m := reExitCode.FindSubmatch(b); m != nil && string(m[1]) == "137" {
		p.killed9 = p.log.Lines
		p.sparedIf(none)
	}
}

// sparedLines is how far the two fields may be apart: the State of docker inspect has eleven of them.
const sparedLines = 12

// sparedIf notes a container that signal 9 ended, and of which its runtime says that it was no kill for memory.
func (p *Reader) sparedIf(at Stamp) {
	if !p.lately(p.spared, sparedLines) || !p.lately(p.killed9, sparedLines) {
		return
	}
	p.spared, p.killed9 = 0, 0
	p.add(Other{At: at, Kind: ContainerSpared, Text: "OOMKilled = false"})
}

// toldOf reads a sentence in which a person reports a kill, with the number of the process.
func (p *Reader) toldOf(l line) bool {
	if !strings.Contains(l.text, "iller") && !strings.Contains(l.text, "illed") || len(l.text) > maxText {
		return false
	}
	m := reKillerDid.FindStringSubmatchIndex(l.text)
	if m == nil {
		m = reKilledBy.FindStringSubmatchIndex(l.text)
	}
	if m == nil {
		return false
	}
	before := strings.ReplaceAll(reTimeIn.ReplaceAllString(l.text[:m[0]], ""), "'s ", " ")
	if quotes(before) {
		return false
	}
	at := l.at
	if t := reTimeIn.FindString(l.text); t != "" && at.Text == "" {
		_, _ = stripTime(t, &at)
	}
	r := p.seen(at, l.text[m[2]:m[3]], l.text[m[4]:m[5]])
	r.Victims[0].sizes(l.text)
	return true
}

// reLimit is the limit of memory of a container, as kubectl describe and manifests show it.
var reLimit = regex.New(`^\s*memory: {1,8}["']?(\d{1,15}(?:\.\d{1,3})?)([KMGT]i)["']?\s*$`)

const (
	// limitsBehind is how far the limits of a container are below why it ended.
	limitsBehind = 16
	// limitsLong is how many lines they have.
	limitsLong = 4
)

// limited notes the limit of a container of which a kill was reported.
func (p *Reader) limited(b []byte) {
	const most = 64
	n := len(p.log.Other)
	if len(b) > most || n == 0 || p.log.Other[n-1].Kind != ContainerKilled || !p.lately(p.contained, limitsBehind) {
		return
	}
	switch o := &p.log.Other[n-1]; {
	case bytes.Equal(bytes.ToLower(bytes.TrimSpace(b)), []byte("limits:")):
		p.limits = p.log.Lines
	case o.Limit == nil && p.lately(p.limits, limitsLong):
		if m := reLimit.FindSubmatch(b); m != nil {
			o.Limit = scaled(string(m[1]), string(m[2][:1]))
		}
	}
}
