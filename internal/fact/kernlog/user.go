package kernlog

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

var (
	// earlyoom of 1.3 and later
	reEarly    = regex.New(`^sending (SIGTERM|SIGKILL) to process (\d{1,10}) (?:uid \d{1,10} )?"(.{1,64}?)": `)
	reEarlyRSS = regex.New(`\bVmRSS:? (\d{1,9}) MiB`)
	// What a container runtime tells, in a table, a field, or a sentence of kubectl.
	reOOMKilled = regex.New(`\bOOM ?Killed\b"? ?(?:[:=] ?)?(\w*)`)
)

// earlyoom reads what it logs when it ends a process: it is a program of user space, and asks no kernel.
func (p *Reader) earlyoom(l line) bool {
	m := reEarly.FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	o := Other{At: l.at, Kind: EarlyOOM, Name: m[3], Signal: m[1], Text: l.text}
	o.PID, _ = strconv.Atoi(m[2])
	if r := reEarlyRSS.FindStringSubmatch(l.text); r != nil {
		n, _ := strconv.ParseInt(r[1], 10, 64)
		b := unit.Bytes(n) * unit.MB
		o.Used = &b
	}
	p.add(o)
	return true
}

// container reads that a container was killed, as Kubernetes or Docker tell it: not which process, and not how large.
func (p *Reader) container(l line) bool {
	m := reOOMKilled.FindStringSubmatchIndex(l.text)
	if l.from != bare || len(l.text) > maxReasonLine {
		return false
	}
	if c := reContainerOOM.FindStringSubmatch(l.text); c != nil {
		p.add(Other{At: l.at, Kind: ContainerKilled, Name: c[1], Text: l.text})
		return true
	}
	if m == nil {
		return false
	}
	before, value := strings.TrimSpace(l.text[:m[0]]), l.text[m[2]:m[3]]
	if value == "false" {
		return true
	}
	o := Other{At: l.at, Kind: ContainerKilled, Text: l.text}
	switch f := strings.Fields(before); {
	// kubectl get pods: «pg-0  0/1  OOMKilled  4 (2m ago)  3h»
	case len(f) == 2 && strings.Count(f[1], "/") == 1 && strings.Trim(f[1], "0123456789/") == "":
		o.Name = f[0]
	case len(f) == 3 && strings.Count(f[2], "/") == 1 && strings.Trim(f[2], "0123456789/") == "":
		o.Name = f[1]
	// A field that has it as its value, or is called so.
	case reReason.MatchString(before + " "), value == "true", before == "":
	default:
		return false
	}
	p.add(o)
	return true
}

// reContainerOOM is an event of Docker: «container oom 3f2ab81c0d (image=postgres:16, name=shop-db)».
var reContainerOOM = regex.New(`^container oom [0-9a-f]{8,64} \(.{0,512}?\bname=([^,)\s]{1,255})`)

var reReason = regex.New(`(?i)^(?:- )?["']?(?:last )?(?:reason|state|status|terminated)["']? ?[:=]? ?["']? $`)

// maxReasonLine is how long such a line may be: a sentence that has the word is none.
const maxReasonLine = 200
