package kernlog

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

var (
	// earlyoom of 1.3 and later
	reEarly    = regex.New(`^sending (SIGTERM|SIGKILL) to process (\d{1,10}) (?:uid \d{1,10} )?"(.{1,64}?)": `)
	reEarlyRSS = regex.New(`\bVmRSS:? (\d{1,9}) MiB`)
	// and before: «killing process 27541 "bash" with signal 15: badness …»,
	// «Killing process 'bash' with signal 15, pid: 5874, badness: …»
	reEarlyOld = regex.New(`^(?:killing process (\d{1,10}) "(.{1,64}?)" with signal (9|15):|` +
		`Killing process '(.{1,64}?)' with signal (9|15), pid: (\d{1,10}),) badness:? `)
	reEarlyStays = regex.New(`^process (\d{1,10}) did not exit$`)
	reEarlyMore  = regex.New(`^escalating to SIGKILL after [\d.]{1,12} seconds`)
	reEarlyLevel = regex.New(`^mem avail: {0,8}(\d{1,9}) of {1,8}(\d{1,9}) MiB \([ \d.]{1,12}%\), swap free:? {0,8}` +
		`(\d{1,9})(?: of |/) {0,8}(\d{1,9})`)
	// The OOM controller of Talos, which ends all of a control group.
	reTalos = regex.New(`^(?:(?:\S{1,64}: )?user: +\w{1,16}: +\[([\d:.TZ-]{10,40})\]: )?` +
		`\[talos\] Sending SIGKILL to cgroup \{.*"cgroup": ?"(?:/sys/fs/cgroup)?(/[^"]{1,512})"`)
	// What a container runtime tells, in a table, a field, or a sentence of kubectl.
	reOOMKilled = regex.New(`\bOOM ?Killed\b"? ?(?:[:=] ?)?(\w*)`)
)

// earlyoom reads what it logs when it ends a process: it is a program of user space, and asks no kernel.
func (p *Reader) earlyoom(l line) bool {
	if m := reEarlyStays.FindStringSubmatch(l.text); m != nil {
		pid, _ := strconv.Atoi(m[1])
		for i := len(p.log.Other) - 1; i >= 0; i-- {
			if o := &p.log.Other[i]; o.Kind == EarlyOOM {
				o.Stays = o.Stays || o.PID == pid
				return o.PID == pid
			}
		}
		return false
	}
	if p.earlyAside(l) {
		return true
	}
	m := reEarly.FindStringSubmatch(l.text)
	if old := reEarlyOld.FindStringSubmatch(l.text); old != nil {
		signal := "SIGTERM"
		if old[3]+old[5] == "9" {
			signal = "SIGKILL"
		}
		m = []string{"", signal, old[1] + old[6], old[2] + old[4]}
	}
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
	o.Level = p.levelBefore()
	p.add(o)
	return true
}

// earlyAside reads what earlyoom says before and behind the line with the signal.
func (p *Reader) earlyAside(l line) bool {
	if m := reEarlyLevel.FindStringSubmatch(l.text); m != nil {
		var n [4]unit.Bytes
		for i := range n {
			v, _ := strconv.ParseInt(m[i+1], 10, 64)
			n[i] = unit.Bytes(v) * unit.MB
		}
		p.level = &Level{n[0], n[1], n[2], n[3], p.log.Lines}
		if p.lowest == nil || n[0] < p.lowest.Level.Available {
			p.lowest = &Other{At: l.at, Kind: EarlyLow, Text: l.text, Level: p.level}
		}
		return true
	}
	switch {
	case reEarlyMore.MatchString(l.text):
		for i := len(p.log.Other) - 1; i >= 0; i-- {
			if o := &p.log.Other[i]; o.Kind == EarlyOOM {
				o.Escalated, o.Signal = o.Signal != "SIGKILL", "SIGKILL"
				return true
			}
		}
	case l.from == fromSystemd && strings.HasPrefix(l.text, "Could not find a process to kill"):
		p.add(Other{At: l.at, Kind: EarlyNone, Text: l.text, Level: p.levelBefore()})
		return true
	}
	return false
}

// earlyLow is the share of the memory below which earlyoom sends signals, unless it is configured otherwise.
const earlyLow = 10 // percent

// low notes that earlyoom saw hardly any memory, where it sent nobody a signal.
func (p *Reader) low() {
	o := p.lowest
	sent := slices.ContainsFunc(p.log.Other, func(o Other) bool { return o.Kind == EarlyOOM || o.Kind == EarlyNone })
	if o == nil || sent || o.Level.Available*100 >= o.Level.Total*earlyLow {
		return
	}
	p.add(*o)
}

// levelBefore is what of memory was left just before, as earlyoom said.
func (p *Reader) levelBefore() *Level {
	const before = 16
	if p.level == nil || !p.lately(p.level.line, before) {
		return nil
	}
	return p.level
}

// talos reads what the OOM controller of Talos logs when it ends a control group.
func (p *Reader) talos(l line) bool {
	m := reTalos.FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	if at, ok := stampOf(m[1]); ok && l.at.Text == "" {
		l.at = at
	}
	p.add(Other{At: l.at, Kind: TalosKilled, Name: m[2], Text: l.text})
	return true
}

// container reads that a container was killed, as Kubernetes or Docker tell it: not which process, and not how large.
func (p *Reader) container(l line) bool {
	m := reOOMKilled.FindStringSubmatchIndex(l.text)
	if l.from != bare || len(l.text) > maxReasonLine && !strings.Contains(l.text, "container init was OOM-killed") {
		return false
	}
	if strings.Contains(l.text, "container init was OOM-killed") { // as runc says it
		p.add(Other{At: l.at, Kind: ContainerKilled, Text: l.text})
		return true
	}
	for _, re := range []*regex.Regex{reContainerOOM, reTaskOOM} {
		if c := re.FindStringSubmatch(l.text); c != nil {
			p.add(Other{At: l.at, Kind: ContainerKilled, Name: c[1], Text: l.text})
			return true
		}
	}
	if strings.Contains(l.text, "OutOfMemoryError: Container killed due to memory usage") { // as ECS says it
		p.add(Other{At: l.at, Kind: ContainerKilled, Text: l.text})
		return true
	}
	if m == nil {
		return false
	}
	if l.at.Text == "" && p.ended.line > 0 && p.log.Lines-p.ended.line <= endedBefore {
		l.at = p.ended.at
	}
	before, value := strings.TrimSpace(l.text[:m[0]]), l.text[m[2]:m[3]]
	if value == "false" {
		p.spared = p.log.Lines
		p.sparedIf(l.at)
		return true
	}
	o := Other{At: l.at, Kind: ContainerKilled, Text: l.text}
	o.inspected(l.text)
	switch f := strings.Fields(before); {
	// kubectl get pods: «pg-0  0/1  OOMKilled  4 (2m ago)  3h»
	case len(f) == 2 && strings.Count(f[1], "/") == 1 && strings.Trim(f[1], "0123456789/") == "":
		o.Name = f[0]
	case len(f) == 3 && strings.Count(f[2], "/") == 1 && strings.Trim(f[2], "0123456789/") == "":
		o.Name = f[1]
	// A field that has it as its value, or is called so.
	case reReason.MatchString(before + " "), value == "true", before == "":
	case reReasonIn.MatchString(before) && !hasLabel(before):
		o.named(before)
	default:
		return false
	}
	p.add(o)
	p.ended.waits, p.contained = p.log.Lines, p.log.Lines
	return true
}

// ended is when a container ended. Kubernetes and Docker tell it in a field of its own, next to why.
type ended struct {
	at    Stamp
	line  int // number of the line with it; 0: none
	waits int // number of the line that tells of a kill and not when; 0: none
}

const (
	endedBefore = 2 // lines from the time to the reason, in YAML and JSON of Kubernetes
	endedBehind = 8 // and from the reason to the time, in kubectl describe and docker inspect
)

// finished notes when a container ended: «finishedAt: "2026-03-30T12:44:10Z"», «Finished: Mon, 30 Mar 2026 …».
func (p *Reader) finished(b []byte) {
	b = bytes.TrimLeft(b, " \t\"-'|")
	if len(b) < len("finished") || b[0]|0x20 != 'f' || string(b[1:len("finished")]) != "inished" {
		return
	}
	key, v, ok := strings.Cut(strings.TrimSpace(string(b)), ":")
	if key = strings.TrimRight(key, "\"' "); !ok || !strings.EqualFold(strings.TrimSuffix(key, "At"), "finished") {
		return
	}
	v = strings.Trim(v, "\"', ")
	at, ok := stampOf(v)
	for _, layout := range []string{time.RFC1123Z, time.RFC1123} {
		if t, err := time.Parse(layout, v); err == nil {
			at, ok = Stamp{Text: v, Wall: t.UTC(), Boot: -1}, true
		}
	}
	if !ok || at.Text == "" || strings.HasPrefix(v, "0001-") {
		return
	}
	if n := len(p.log.Other); n > 0 && p.ended.waits > 0 && p.log.Lines-p.ended.waits <= endedBehind {
		if o := &p.log.Other[n-1]; o.Kind == ContainerKilled && o.At.Text == "" {
			o.At = at
		}
	}
	p.ended = ended{at: at, line: p.log.Lines}
	p.exitAt(at)
}

// reContainerOOM is an event of Docker: «container oom 3f2ab81c0d (image=postgres:16, name=shop-db)».
var reContainerOOM = regex.New(`^container oom [0-9a-f]{8,64} \(.{0,512}?\bname=([^,)\s]{1,255})`)

var (
	// An event of containerd: «TaskOOM event &TaskOOM{ContainerID:3f2a…», «TaskOOM event container_id:"3f2a…"».
	reTaskOOM = regex.New(`\bTaskOOM event (?:for |in )?(?:&?TaskOOM\{ContainerID:|container_id:\\?"?)([0-9a-f]{8,64})`)
	// «slurmstepd: error: Detected 1 oom-kill event(s) in StepId=812.batch. …»
	reSlurm = regex.New(`\bDetected (\d{1,9}) oom[-_]kill events?(?:\(s\))? in (?i:step ?(?:Id=)?)([\w.+-]{1,64}\w)`)
	// FreeBSD: «pid 7312 (postgres), jid 0, uid 770, was killed: failed to reclaim memory»
	reBSD = regex.New(`^pid (\d{1,10}) \((.{1,64}?)\),(?: jid \d{1,9},)? uid (\d{1,10}),? was killed: ` +
		`(?:out of swap space|failed to reclaim memory|a thread waited too long to allocate a page)`)
)

// bsd reads the line in which the kernel of FreeBSD tells of a kill.
func (p *Reader) bsd(l line) bool {
	m := reBSD.FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	r := p.open(l.at)
	r.Called, r.Constraint, r.From = true, Global, ByKill
	v := Victim{At: l.at, UID: -1, Name: m[2]}
	v.PID, _ = strconv.Atoi(m[1])
	v.setUID(m[3])
	r.Victims = []Victim{v}
	p.close()
	return true
}

var reReason = regex.New(`(?i)^(?:- )?["']?(?:last )?(?:reason|state|status|terminated)["']? ?[:=]? ?["']? $`)

// maxReasonLine is how long such a line may be: a sentence that has the word is none.
const maxReasonLine = 200
