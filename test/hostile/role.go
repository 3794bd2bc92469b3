package hostile

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// role is what the copy of this test that an attacker runs does: it is in a data directory, calls itself postgres, and
// listens where a server would.
func role() {
	get := os.Getenv
	data, sock, port := get("ROLE_DATA"), get("ROLE_SOCK"), get("ROLE_PORT")
	if err := os.Chdir(data); err != nil {
		fail(err)
	}
	var listeners []net.Listener
	if sock != "" {
		at := filepath.Join(sock, ".s.PGSQL."+port)
		_ = os.Remove(at)
		l, err := net.Listen("unix", at)
		if err != nil {
			fail(err)
		}
		_ = os.Chmod(at, 0o777)
		listeners = append(listeners, l)
	}
	if at := get("ROLE_TCP"); at != "" {
		l, err := net.Listen("tcp", at)
		if err != nil {
			fail(err)
		}
		_, port, _ = net.SplitHostPort(l.Addr().String())
		listeners = append(listeners, l)
	}
	pid := strconv.Itoa(os.Getpid())
	if other := get("ROLE_PID"); other != "" {
		pid = other
	}
	named := sock
	if s := get("ROLE_NAMED_SOCK"); s != "" {
		named = s
	}
	host := ""
	if get("ROLE_TCP") != "" || get("ROLE_HOST") != "" {
		host = "127.0.0.1"
	}
	if p := get("ROLE_NAMED_PORT"); p != "" {
		port = p
	}
	if get("ROLE_NOPID") == "" {
		lock := strings.Join([]string{pid, data, strconv.FormatInt(time.Now().Unix(), 10), port, named, host, "0 0",
			"ready   ", ""}, "\n")
		if err := os.WriteFile("postmaster.pid", []byte(lock), 0o600); err != nil {
			fail(err)
		}
	}
	for _, l := range listeners {
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go serve(c, get("ROLE_AUTH"), get("ROLE_CAUGHT"))
			}
		}()
	}
	fmt.Println("ready", port)
	_, _ = io.Copy(io.Discard, os.Stdin) // until its starter lets go
}

// swap puts two files in turn in place of a name, each for half a millisecond, and never leaves it empty: a symbolic
// link as such, any other file as a hard link.
func swap(name, one, other string) {
	fmt.Println("ready")
	aside := name + ".aside"
	for {
		for _, file := range []string{one, other} {
			err := os.Link(file, aside) // of a link, the link itself
			if err == nil {
				err = os.Rename(aside, name)
			}
			if err != nil {
				fail(err)
			}
			time.Sleep(time.Millisecond / 2)
		}
	}
}

// exchange has two names stand for each other's things in turn, whatever these are, as soon as both are there.
func exchange(name, other string) {
	fmt.Println("ready")
	for {
		// there is nothing yet, or no longer
		_ = unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE)
		time.Sleep(time.Millisecond / 2)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// serve asks for a password in the given way, and keeps whatever comes.
func serve(c net.Conn, auth, caught string) {
	defer c.Close()
	head := make([]byte, 4)
	for {
		if _, err := io.ReadFull(c, head); err != nil {
			return
		}
		body := make([]byte, max(int(binary.BigEndian.Uint32(head))-4, 0)&0xffff)
		if _, err := io.ReadFull(c, body); err != nil || len(body) < 4 {
			return
		}
		if code := binary.BigEndian.Uint32(body); code == 80877103 || code == 80877104 { // SSLRequest, GSSENCRequest
			_, _ = c.Write([]byte("N"))
			continue
		}
		break
	}
	keep(caught, "connected\n")
	ask := map[string][]byte{
		"cleartext": {'R', 0, 0, 0, 8, 0, 0, 0, 3},
		"md5":       {'R', 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4},
		"scram":     append([]byte{'R', 0, 0, 0, 23, 0, 0, 0, 10}, "SCRAM-SHA-256\x00\x00"...),
		"gss":       {'R', 0, 0, 0, 8, 0, 0, 0, 7},
	}[auth]
	_, _ = c.Write(ask)
	b, _ := io.ReadAll(io.LimitReader(c, 1<<16))
	if len(b) > 0 {
		keep(caught, fmt.Sprintf("%q\n", b))
	}
}

func keep(name, text string) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString(text)
}
