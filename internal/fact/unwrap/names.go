package unwrap

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// Of a swarm there is the task and the host: NAME.NUMBER.ID@HOST.
	compose    = regex.New(`^[A-Za-z][\w./-]*(?:\.\d{1,5}\.[a-z0-9]{10,25}@[\w.-]{1,64})? *\|(?: |$)`)
	pod        = regex.New(`^\[pod/[^\]]+\](?: |$)`)
	svlogd     = regex.New(`^(\d{4}-\d\d-\d\d)_(\d\d:\d\d:\d\d(?:\.\d{1,9})?):? `)
	herokuKeys = regex.New(
		`^(?:app\[postgres[^\]]{0,40}\]: )(?:\[\w{1,60}\] )?(?:\[\d{1,10}(?:-\d{1,6})?\])?\s*`)
	hostName = regex.New(`^([A-Za-z][\w.-]{0,63}|\d{1,3}(?:\.\d{1,3}){3}): ?`)
	ownName  = regex.New(`^(?:[\w.-]+\.(?:service|slice|scope)|[\d:]{5,8} +(?:earlyoom|kernel|systemd(?:-oomd)?)): `)
)

// findCompose finds the name that docker compose puts before the lines of each service.
func findCompose(s *sample) cut { return s.service(compose, before(`|`)) }

// findPod finds the names that kubectl --prefix puts there.
func findPod(s *sample) cut { return s.service(pod, before(`] `)) }

const (
	// maxService is how long the name of a service may be.
	maxService = 200
	// maxServices is how many of them a log may be of.
	maxServices = 64
)

// before makes the name of a service of what stands before a mark.
func before(mark string) func([]byte) string {
	return func(l []byte) string {
		i := bytes.Index(l[:min(len(l), maxService)], []byte(mark))
		if i < 0 {
			return ""
		}
		return string(bytes.TrimRight(l[:i], " "))
	}
}

// service finds names before lines. Of a server's log it lets go the lines of services without any line of a server,
// but for those with a label: what they say in the midst of a statement is no part of it.
func (s *sample) service(re *regex.Regex, name func([]byte) string) cut {
	if !s.most(0.5, re.Match) || s.Labeled == nil && !s.all(0.5, re.Match) {
		return nil
	}
	if s.Labeled == nil { // a table of names and values has as many names as lines
		names, n := map[string]bool{}, 0
		for _, l := range s.lines {
			if re.Match(l) {
				names[name(l)] = true
				n++
			}
		}
		if len(names) > 1 && (s.anyLine() || 3*len(names) > n) {
			return nil
		}
	}
	length := func(l []byte) int {
		if at := re.FindIndex(l); at != nil {
			return at[1]
		}
		return 0
	}
	if s.Labeled == nil {
		return off(length)
	}
	own := map[string]bool{}
	for _, l := range s.lines {
		if n := length(l); n > 0 && len(own) < maxServices && (s.Labeled(l[n:]) || begins(l[n:])) {
			own[name(l)] = true
		}
	}
	all := len(own) == 0 || len(own) == maxServices
	labeled := s.Labeled
	return func(l line, out func(line)) {
		if ends(l) {
			return
		}
		n := length(l.text)
		text := l.text[n:]
		if n > 0 && !all && !own[name(l.text)] && !labeled(text) && !begins(text) {
			return
		}
		out(line{text, l.number})
	}
}

// begins says whether a text can be an object.
func begins(text []byte) bool { return len(text) > 0 && text[0] == '{' }

// findSvlogd finds the time of svlogd -tt, which is of UTC.
func findSvlogd(s *sample) cut {
	if !s.most(0.5, svlogd.Match) {
		return nil
	}
	return each(func(l []byte) []byte {
		m := svlogd.FindSubmatchIndex(l)
		if m == nil {
			return l
		}
		if s.Labeled == nil {
			return l[m[1]:]
		}
		return withTime(l[m[1]:], string(l[m[2]:m[3]])+"T"+string(l[m[4]:m[5]])+"Z")
	})
}

func findHeroku(s *sample) cut {
	if !s.most(0.3, herokuKeys.Match) {
		return nil
	}
	return off(func(l []byte) int {
		if at := herokuKeys.FindIndex(l); at != nil {
			return at[1]
		}
		return 0
	})
}

// findHost finds the one name that pssh, clush, and others put before each line of what a host said.
func findHost(s *sample) cut {
	m := hostName.FindSubmatch(s.signs[0])
	if len(s.lines) < 3 || m == nil || string(m[1]) == "kernel" || s.Labeled != nil && s.Labeled(m[0]) ||
		s.Begin != nil && s.Begin(string(s.signs[0])) == 0 || ownName.Match(s.signs[0]) {
		return nil
	}
	mark := append(bytes.Clone(m[1]), ':')
	has := func(l []byte) bool { return bytes.HasPrefix(l, mark) }
	if !s.all(0.9, has) {
		return nil
	}
	// A prefix of a server's log has it too; before a line that goes on there is none.
	if s.log() && s.count(func(l []byte) bool {
		return has(l) && bytes.HasPrefix(bytes.TrimPrefix(l[len(mark):], []byte{' '}), []byte{'\t'}) ||
			has(l) && s.Labeled == nil && inTime.Match(bytes.TrimPrefix(l[len(mark):], []byte{' '}))
	}) == 0 {
		return nil
	}
	blank := s.all(0.9, func(l []byte) bool {
		return !has(l) || len(l) == len(mark) || l[len(mark)] == ' '
	})
	return off(func(l []byte) int {
		switch {
		case !has(l):
			return 0
		case blank && len(l) > len(mark) && l[len(mark)] == ' ':
			return len(mark) + 1
		}
		return len(mark)
	})
}
