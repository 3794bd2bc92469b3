// Package hostile plays two accounts of people against root's pgfettle, on a real
// host with real processes, servers, links and sockets, and holds by the trace of
// what the program did that it lent none of them a right: nothing of theirs ran,
// was opened, written or told as anybody but themselves, and nothing secret of
// root's was sent.
package hostile

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"regexp"
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
	callOf  = regexp.MustCompile(`^([a-z0-9_]+)\((.*)\)\s+= (-?\d+|\?)`)
	quoted  = regexp.MustCompile(`(?:(?:AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"`)
	numbers = regexp.MustCompile(`-?\d+`)
)

// readTrace reads what strace -ff -y has written of a program: a file for each
// thread. A thread begins with the rights that its parent had when it made it.
func readTrace(prefix string, first int) ([]act, error) {
	var out []act
	var walk func(pid, uid, fsuid int) error
	seen := map[int]bool{}
	walk = func(pid, uid, fsuid int) error {
		if seen[pid] {
			return nil
		}
		seen[pid] = true
		f, err := os.Open(fmt.Sprintf("%s.%d", prefix, pid))
		if os.IsNotExist(err) {
			return nil // it did nothing that is traced
		}
		if err != nil {
			return err
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		s.Buffer(nil, 4<<20)
		for s.Scan() {
			m := callOf.FindStringSubmatch(s.Text())
			if m == nil {
				continue
			}
			name, args, result := m[1], m[2], m[3]
			n, _ := strconv.Atoi(result) // ? of a call that never came back counts as 0
			switch {
			case name == "clone" || name == "clone3" || name == "fork" || name == "vfork":
				if n > 0 {
					if err := walk(n, uid, fsuid); err != nil {
						return err
					}
				}
				continue
			case (name == "setuid" || name == "setresuid" || name == "setreuid") && n == 0:
				ids := numbers.FindAllString(args, -1)
				at := 0
				if name != "setuid" {
					at = 1 // of real, effective, saved the second
				}
				if id, err := strconv.Atoi(ids[at]); err == nil && id >= 0 {
					uid, fsuid = id, id
				}
				continue
			case name == "setfsuid":
				if id, err := strconv.Atoi(numbers.FindString(args)); err == nil && id >= 0 {
					fsuid = id
				}
				continue
			}
			a := act{uid: uid, fsuid: fsuid, call: name, line: s.Text(), ok: n >= 0}
			for _, q := range quoted.FindAllStringSubmatch(args, -1) {
				p := q[2]
				if !path.IsAbs(p) && q[1] != "" {
					p = path.Join(q[1], p)
				}
				a.paths = append(a.paths, path.Clean(p))
			}
			out = append(out, a)
		}
		return s.Err()
	}
	return out, walk(first, 0, 0)
}

// opens says whether the act opened or changed something, and not only a place
// (O_PATH), which gives no more than its name and owner.
func (a act) opens() bool {
	switch a.call {
	case "write", "sendto", "sendmsg", "connect", "exit", "exit_group", "wait4", "waitid", "kill", "tgkill":
		return false
	}
	return !strings.Contains(a.line, "O_PATH")
}

// runs says whether the act started a program.
func (a act) runs() bool { return (a.call == "execve" || a.call == "execveat") && a.ok }
