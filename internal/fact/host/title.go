package host

import (
	"bytes"
	"slices"
	"strings"
)

// Title is what the command line of a process shows.
type Title struct {
	Text string // without «postgres: » and the cluster name; the command line if it is no such title
	Kind string // as Process.Kind
}

// titleKinds are the processes that name themselves, 13 to 18, those of
// several words first: their names are no user's.
var titleKinds = []string{
	"autovacuum launcher", "autovacuum worker", "background writer",
	"logical replication launcher", "logical replication apply worker", "logical replication parallel apply worker",
	"logical replication tablesync worker", "logical replication worker",
	"parallel worker", "io worker", "slotsync worker", "stats collector", "slot sync worker",
	"checkpointer", "walwriter", "walsender", "walreceiver", "walsummarizer", "startup", "archiver", "logger",
}

// The kinds that are no name of a title.
const (
	KindPostmaster       = "postmaster"
	KindBackend          = "backend"
	KindBackgroundWorker = "background worker" // of an extension: its title is the name that the extension chose
)

// serverNames are the names under which a PostgreSQL server runs (comm, 15 bytes at most):
// "postmaster" is that of old packages, "edb-postgres" of EDB's, ".postgres-wrapp" of the
// program that the script bin/postgres of NixOS starts.
var serverNames = []string{"postgres", "postmaster", "edb-postgres", ".postgres-wrapp"}

// maxComm is how much of a program's name the kernel keeps in comm (TASK_COMM_LEN without its NUL).
const maxComm = 15

// IsServerName reports whether a process is one of a PostgreSQL server, by its comm (with or without the end of its
// line) or by the name of its program.
func IsServerName(name string) bool {
	name = strings.TrimSpace(name)
	return slices.Contains(serverNames, name[:min(len(name), maxComm)])
}

// ParseTitle parses proc/PID/cmdline. A server process overwrites its command
// line with «postgres: [CLUSTER: ]WHAT», padded with NUL bytes; the postmaster
// keeps the one that it was started with, arguments ended by NUL. It never
// fails; the error is there for evidence.Read.
func ParseTitle(b []byte) (Title, error) {
	b = bytes.TrimRight(b, "\x00 \n")
	if len(b) > MaxWord {
		b = b[:MaxWord]
	}
	program, _, _ := bytes.Cut(b, []byte{0})
	text := strings.Map(printable, string(b))
	rest, ok := strings.CutPrefix(text, "postgres: ")
	if !ok {
		t := Title{Text: text}
		name := string(program[bytes.LastIndexByte(program, '/')+1:])
		if IsServerName(name) {
			t.Kind = KindPostmaster
		}
		return t, nil
	}
	rest = strings.TrimSpace(rest)
	if k := kindOf(rest); k != "" {
		return Title{Text: rest, Kind: k}, nil
	}
	// A cluster name may itself hold ": ", so each place is tried.
	for at := rest; ; {
		_, after, ok := strings.Cut(at, ": ")
		if !ok {
			return Title{Text: rest, Kind: KindBackgroundWorker}, nil
		}
		if k := kindOf(after); k != "" {
			return Title{Text: after, Kind: k}, nil
		}
		at = after
	}
}

// kindOf returns the kind of a title without a cluster name, "" if the title may still have one. A client's title is
// USER DATABASE HOST(PORT) STATE or USER DATABASE [local] STATE; it goes before the names of one word, which a user may
// bear.
func kindOf(title string) string {
	client := isClient(title)
	for _, k := range titleKinds {
		rest, ok := strings.CutPrefix(title, k)
		if !ok || rest != "" && rest[0] != ' ' {
			continue
		}
		if client && !strings.Contains(k, " ") && k != "walsender" {
			return KindBackend
		}
		return k
	}
	if client && !strings.Contains(title, ": ") {
		return KindBackend
	}
	return ""
}

// isClient reports whether a word from the third on is the address of a client.
func isClient(title string) bool {
	for i, w := range strings.Fields(title) {
		if i < 2 {
			continue
		}
		if w == "[local]" {
			return true
		}
		if open := strings.LastIndexByte(w, '('); open > 0 && strings.HasSuffix(w, ")") && Digits(w[open+1:len(w)-1]) {
			return true
		}
	}
	return false
}

// printable replaces the NUL bytes between arguments, and everything that would disturb a terminal, with blanks.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}
