// Package hostile plays two accounts of people against root's pgfettle, on a real host with real processes, servers,
// links and sockets, and holds by the trace of what the program did that it lent none of them a right: nothing of
// theirs ran, was opened, written or reported except as themselves, and nothing secret of root's was sent.
package hostile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// act is what one thread of a traced program did, with the rights that it had.
type act struct {
	uid, fsuid int
	call       string
	line       string
	paths      []string
	ok         bool
}

// traced are the system calls that matter: what runs, what is opened or changed,
// what is sent, and with whose rights.
const traced = "trace=%process,%creds,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir," +
	"chmod,fchmodat,chown,lchown,fchownat,link,linkat,symlink,symlinkat,truncate,connect,sendto,sendmsg,write"

var (
	callOf = regexp.MustCompile(`^(\d+\.\d+) ([a-z0-9_]+)\((.*)\)\s+= (-?\d+|\?)`)
	// lostCall is one that the end of its process cut off; it may also end as the former, with ?
	lostCall = regexp.MustCompile(`^(\d+\.\d+) ([a-z0-9_]+)\((.*) <unfinished \.\.\.>()$`)
	quoted   = regexp.MustCompile(`(?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"`)
	numbers  = regexp.MustCompile(`-?\d+`)
)

// call is a system call of a trace.
type call struct {
	at         float64 // seconds
	name, args string
	result     int
	lost       bool // it never came back; its result counts as 0
	line       string
}

// birth is the call that made a thread; a number that was given again has several.
type birth struct {
	at     float64
	parent *thread
	call   int // of the parent's
}

// thread is what one thread did, from its begin to its end.
type thread struct {
	calls    []call
	ended    bool
	end      float64 // when, where it has ended
	born     *birth
	acts     []act
	resolved bool
	ids      [][2]int // uid and fsuid at each call
}

var errUnborn = errors.New("the trace does not have who made it")

// readTrace reads what strace -ff -A -ttt -y -q has written of a program: a file for each
// number of a thread, and in it one thread after another that had it: a host gives
// numbers again, and quickly where others start many programs. A thread begins with the
// rights that its parent had when it made it; errUnborn is the error of one whose making
// is not written yet, as its parent goes on.
func readTrace(prefix string, first int) ([]act, error) {
	files, err := filepath.Glob(prefix + ".*")
	if err != nil {
		return nil, err
	}
	threads := map[int][]*thread{}
	for _, f := range files {
		number, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(f), "."))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if threads[number], err = readThreads(f); err != nil {
			return nil, err
		}
	}
	if len(threads[first]) == 0 {
		return nil, fmt.Errorf("%s.%d: nothing was traced", prefix, first)
	}
	births := map[int][]*birth{}
	var unfinished []*birth // their process ended in the middle of them
	for _, list := range threads {
		for _, th := range list {
			for i, c := range th.calls {
				switch {
				case c.forks() && c.result > 0:
					births[c.result] = append(births[c.result], &birth{c.at, th, i})
				case c.forks() && c.lost:
					unfinished = append(unfinished, &birth{c.at, th, i})
				}
			}
		}
	}
	for number, list := range births {
		slices.SortFunc(list, func(a, b *birth) int { return cmp.Compare(a.at, b.at) })
		had := threads[number]
		if number == first { // the first one that had the number was there before
			had = had[1:]
		}
		// Where each has its maker, the order says which, and the times need not: the clock of a machine may be set
		// back.
		each := len(had) == len(list)
		for _, b := range list {
			for !each && len(had) > 0 && had[0].before(b.at) {
				had = had[1:] // its parent is not in the trace
			}
			if len(had) > 0 {
				had[0].born, had = b, had[1:]
			}
		}
	}
	begin := threads[first][0]
	begin.run(0, 0)
	for _, number := range slices.Sorted(maps.Keys(threads)) {
		for _, th := range threads[number] {
			if th.born == nil && th != begin && th.ended && len(th.calls) > 0 && len(unfinished) > 0 {
				th.born, unfinished = unfinished[0], unfinished[1:]
			}
		}
	}
	var out []act
	for _, number := range slices.Sorted(maps.Keys(threads)) {
		for _, th := range threads[number] {
			if len(th.calls) == 0 {
				continue
			}
			if !th.resolve() {
				return nil, fmt.Errorf("thread %d: %w%s", number, errUnborn, th.story(births[number], len(unfinished)))
			}
			out = append(out, th.acts...)
		}
	}
	return out, nil
}

// story is what a person needs who looks for the making of a thread: its first and its last call, and which forks
// returned its number.
func (th *thread) story(births []*birth, unfinished int) string {
	first, last := th.calls[0], th.calls[len(th.calls)-1]
	s := fmt.Sprintf("; %d calls, from %f %s to %f %s, ended %t %f; %d forks without an end are left", len(th.calls),
		first.at, first.line, last.at, last.line, th.ended, th.end, unfinished)
	for _, b := range births {
		s += fmt.Sprintf("; made at %f by %s", b.at, b.parent.calls[b.call].line)
	}
	if th.born != nil {
		p := th.born.parent
		s += "; its parent: " + p.calls[0].line
	}
	return s
}

// before reports whether a thread was there before a time.
func (th *thread) before(at float64) bool {
	return th.ended && th.end < at || len(th.calls) > 0 && th.calls[0].at < at
}

func (c *call) forks() bool {
	return c.name == "clone" || c.name == "clone3" || c.name == "fork" || c.name == "vfork"
}

// readThreads reads the threads of one number.
func readThreads(name string) ([]*thread, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list := []*thread{{}}
	s := bufio.NewScanner(f)
	s.Buffer(nil, 4<<20)
	for s.Scan() {
		line := s.Text()
		if list[len(list)-1].ended {
			list = append(list, &thread{})
		}
		if when, event, ok := strings.Cut(line, " +++ "); ok && (strings.HasPrefix(event, "exited") ||
			strings.HasPrefix(event, "killed")) {
			th := list[len(list)-1]
			if th.end, err = strconv.ParseFloat(when, 64); err != nil {
				return nil, err
			}
			th.ended = true
			continue
		}
		m := callOf.FindStringSubmatch(line)
		if m == nil {
			m = lostCall.FindStringSubmatch(line)
		}
		if m == nil {
			continue
		}
		at, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(m[4])
		lost := err != nil && !strings.Contains(line, " = ? ERESTART") // which is made once more
		th := list[len(list)-1]
		th.calls = append(th.calls, call{at, m[2], m[3], n, lost, line[len(m[1])+1:]})
	}
	return list, s.Err()
}

// resolve says what a thread did with which rights, and whether these are known.
func (th *thread) resolve() bool {
	if th.resolved {
		return th.ids != nil
	}
	th.resolved = true
	if th.born == nil || !th.born.parent.resolve() {
		return false
	}
	ids := th.born.parent.ids[th.born.call]
	th.run(ids[0], ids[1])
	return true
}

// run follows the rights of a thread that began with some.
func (th *thread) run(uid, fsuid int) {
	th.resolved, th.ids = true, [][2]int{}
	for _, c := range th.calls {
		th.ids = append(th.ids, [2]int{uid, fsuid})
		switch {
		case c.forks():
			continue
		case (c.name == "setuid" || c.name == "setresuid" || c.name == "setreuid") && c.result == 0:
			ids := numbers.FindAllString(c.args, -1)
			at := 0
			if c.name != "setuid" {
				at = 1 // of real, effective, saved the second
			}
			if id, err := strconv.Atoi(ids[at]); err == nil && id >= 0 {
				uid, fsuid = id, id
			}
			continue
		case c.name == "setfsuid":
			if id, err := strconv.Atoi(numbers.FindString(c.args)); err == nil && id >= 0 {
				fsuid = id
			}
			continue
		}
		a := act{uid: uid, fsuid: fsuid, call: c.name, line: c.line, ok: c.result >= 0}
		for _, q := range quoted.FindAllStringSubmatch(c.args, -1) {
			p := q[2]
			if !path.IsAbs(p) && q[1] != "" {
				p = path.Join(q[1], p)
			}
			a.paths = append(a.paths, path.Clean(p))
		}
		th.acts = append(th.acts, a)
	}
}

// opens reports whether the act opened or changed something, and not only a place (O_PATH), which gives no more than
// its name and owner.
func (a act) opens() bool {
	switch a.call {
	case "write", "sendto", "sendmsg", "connect", "exit", "exit_group", "wait4", "waitid", "kill", "tgkill":
		return false
	}
	return !strings.Contains(a.line, "O_PATH")
}

// runs reports whether the act started a program.
func (a act) runs() bool { return (a.call == "execve" || a.call == "execveat") && a.ok }
