// Command messages makes the table of PostgreSQL's translated messages that the reader of server logs uses, from
// the message catalogs that servers and the C library ship: for each language the words for the severities and the
// parts of an entry, and the translations of those messages that a diagnosis asks for.
//
//	go run ./internal/gen/messages FOLDER… > internal/fact/pglog/translated/messages.tsv
//
// The directories are searched for LANGUAGE/LC_MESSAGES/postgres-N.mo (Debian's packages postgresql-N, the archives of
// other builds) and LANGUAGE/LC_MESSAGES/libc.mo (Debian's package libc-l10n). Wording changes between majors: name the
// directories of several, the newest first. The translations of PostgreSQL are under the PostgreSQL License.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: messages FOLDER…")
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// words are the labels of the lines of an entry, as msgids.
var words = []string{"DEBUG", "LOG", "INFO", "NOTICE", "WARNING", "ERROR", "FATAL", "PANIC", "DETAIL:  ", "HINT:  ",
	"QUERY:  ", "CONTEXT:  ", "STATEMENT:  ", "LOCATION:  %s:%d\n", "BACKTRACE:  "}

// system are what %m and the names of signals may be: of the C library.
var system = []string{"No space left on device", "Input/output error", "Cannot allocate memory",
	"Resource temporarily unavailable", "Too many open files", "Too many open files in system", "Permission denied",
	"No such file or directory", "Read-only file system", "Disk quota exceeded", "Connection reset by peer",
	"Broken pipe", "Invalid argument", "File exists", "Address already in use", "Killed", "Aborted",
	"Segmentation fault", "Bus error", "Illegal instruction", "Floating point exception", "Terminated", "Quit",
	"Broken pipe", "Hangup", "Interrupt"}

// wanted are messages that have no kind of their own and are read all the same: details, contexts, what an argument may
// be, and messages about a start or an end.
var wanted = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`Failed process was running`, `Failed on request of size`, `Process %d waits for`, `Process %d: `,
	`Process(?:es)? holding the lock`, `Failed system call was shm`,
	`This error usually means that PostgreSQL's request`,
	`This error does \*not\* mean`, `You might need to increase`, `Consider increasing the configuration`,
	`The failed archive command was`, `The postmaster has commanded`, `User .* conflict|User query might`,
	`User was holding`, `Is another post`, `Another (?:postmaster|server)`, `If you're sure there are no old server`,
	`Check free disk space`, `SQL statement "`, `SQL function "`,
	`while (?:updating|deleting|locking|inserting|rechecking)`,
	`automatic (?:vacuum|analyze) of table`, `(?:scanning|vacuuming|while vacuuming|while scanning|while cleaning up)`,
	`relation %u of database`, `extension of relation %u`, `page %u of relation`, `tuple \(%u,%u\) of relation`,
	`transaction %u$`, `virtual transaction`, `speculative token`, `object %u of class`, `user lock \[`,
	`advisory lock \[`, `remote transaction %u of sub`, `pg_database\.datfrozenxid of`,
	`logical (?:replication )?worker`,
	`server process$`, `checkpointer(?: process)?$`, `background writer(?: process)?$`, `startup(?: process)?$`,
	`walwriter|WAL writer|WAL receiver|WAL sender|walsender|walreceiver`, `WAL summarizer`, `archiver(?: process)?$`,
	`autovacuum launcher(?: process)?$`, `autovacuum worker(?: process)?$`, `background worker(?: "%s")?$`,
	`worker process(?:: %s)?$`, `system logger process|logger$`, `statistics collector process`, `client backend`,
	`slot sync worker|slotsync worker`, `I/O worker|io worker`, `(?:standalone )?backend(?: process)?$`,
	`starting %s$`, `listening on `, `database system was shut down`, `aborting (?:any active|startup)`,
	`shutting down$`,
	`entering standby mode`, `starting (?:archive|backup|point-in-time) recovery`, `archive recovery complete`,
	`consistent recovery state reached`, `selected new timeline`, `restored log file`, `received SIGHUP`,
	`received promote request`, `abnormal database system shutdown`, `invalid (?:primary )?checkpoint record`,
	`could not locate (?:a valid|required) checkpoint`, `performing immediate shutdown`, `lock file `,
	`bogus data in lock`,
	`pre-existing shared memory block`, `could not bind`, `could not create any`, `could not create lock file`,
	`%s \(PID %d\) exited`, `%s \(PID %d\) was terminated`, `issuing SIG`, `terminating connection`,
	`database files are incompatible`, `parameter "%s" (?:cannot|changed)`, `incomplete startup packet`,
	`invalid record length`, `restored log file`,
	`out of memory`, `out of file descriptors`, "could not " + failing + ".*%m", `canceling `, `too many connections`,
	`remaining connection slots`, `sorry, too many`, `database "%s" is not (?:accepting|currently)`,
	`password authentication`, `no pg_hba\.conf`, `.*authentication failed for user`,
	`requested (?:timeline|WAL segment)`,
	`recovery ended before`, `replication terminated`, `logging memory contexts`, `using stale statistics`,
	`not enough shared memory`, `unexpected EOF on client`, `could not obtain lock`, `connection to client`,
	`duration: `, `temporary file`, `invalid page`, ` at character %d`, `tuples: `, `pages: `, `system usage`,
	`CPU: user`,
	`avg read`, `buffer usage`, `WAL usage`, `frozen: `, `removable cutoff`, `new relfrozenxid`, `index scan `,
}, "|") + `)`)

// failing are the calls whose reason, which follows them, is a full or broken disk or lack of memory.
const failing = `(?:write|extend|fsync|flush|resize|map|fork|load|receive data|send data|create (?:any|shared|lock))`

var onDisk = regexp.MustCompile("^could not " + failing)

// passed over are messages of the programs' own output and of settings, which are in no log of a server.
var passed = regexp.MustCompile(`^\s*-|^Usage|\\n\\n|must be|^[^%]*\n.*\n.*\n`)

type table struct {
	messages map[string]int
	order    []string
	rows     map[string]map[string]bool // language: rows
}

func run(folders []string) error {
	t := &table{messages: map[string]int{}, rows: map[string]map[string]bool{}}
	libc := map[string]map[string][]string{}
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			base := filepath.Base(name)
			server, _ := filepath.Match("postgres*.mo", base)
			if err != nil || d.IsDir() || !server && base != "libc.mo" {
				return err
			}
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			c, err := catalog(b)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			language := filepath.Base(filepath.Dir(filepath.Dir(name)))
			if server {
				t.add(language, c)
			} else {
				libc[language] = c
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for language, c := range libc {
		if t.rows[language] == nil {
			continue
		}
		for _, id := range system {
			for _, s := range c[id] {
				if s != id && s != "" {
					t.row(language, "E", id, s)
				}
			}
		}
	}
	return t.write()
}

func (t *table) add(language string, c map[string][]string) {
	if t.rows[language] == nil {
		t.rows[language] = map[string]bool{}
	}
	for _, w := range words {
		for _, s := range c[w] {
			word, _, _ := strings.Cut(w, ":")
			s, _, _ = strings.Cut(s, ":")
			s, _, _ = strings.Cut(s, "：")
			if s = strings.TrimSpace(s); s != word && s != "" {
				t.row(language, "W", word, s)
			}
		}
	}
	ids := make([]string, 0, len(c))
	for id := range c {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if !use(id) {
			continue
		}
		for _, s := range c[id] {
			if s == id || s == "" || !enough(s) {
				continue
			}
			n, ok := t.messages[id]
			if !ok {
				n = len(t.order)
				t.messages[id] = n
				t.order = append(t.order, id)
			}
			t.row(language, "T", fmt.Sprint(n), s)
		}
	}
}

// enough reports whether a pattern has words of its own: «%s: %s» fits anything.
func enough(s string) bool {
	return len(strings.TrimSpace(verbs.ReplaceAllString(s, ""))) >= 6
}

var verbs = regexp.MustCompile(`%(?:\d+\$)?[-+ 0#]*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?[a-zA-Z%]`)

// use reports whether a message is one that the reader of logs asks for.
func use(id string) bool {
	if passed.MatchString(id) || id == "" {
		return false
	}
	if wanted.MatchString(id) {
		return true
	}
	reasons := []string{"x"}
	if onDisk.MatchString(id) {
		reasons = append(reasons, "No space left on device", "Input/output error")
	}
	for _, m := range reasons {
		text := []byte(strings.ReplaceAll(id, "%m", m))
		for _, s := range []pglog.Severity{pglog.Log, pglog.Error, pglog.Fatal} {
			e := pglog.Entry{Severity: s, Message: text}
			if k := e.Kind(); k != pglog.Other && k != pglog.Fault {
				return true
			}
		}
	}
	return false
}

func (t *table) row(language, kind, what, text string) {
	t.rows[language][kind+"\t"+language+"\t"+what+"\t"+escape(text)] = true
}

func escape(s string) string {
	return strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`).Replace(s)
}

func (t *table) write() error {
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprint(out, "# Code generated by internal/gen/messages; DO NOT EDIT.\n"+
		"# Messages and translations of PostgreSQL, Copyright (c) PostgreSQL Global Development Group, under the "+
		"PostgreSQL License;\n"+
		"# phrases of the C library (E) as the catalogs of the GNU C Library have them.\n"+
		"# M number message | W language word translation | E language phrase-of-the-C-library translation | "+
		"T language number translation\n")
	for i, id := range t.order {
		fmt.Fprintf(out, "M\t%d\t%s\n", i, escape(id))
	}
	// The words come first: they are read alone.
	languages := make([]string, 0, len(t.rows))
	for l := range t.rows {
		languages = append(languages, l)
	}
	slices.Sort(languages)
	for _, l := range languages {
		rows := make([]string, 0, len(t.rows[l]))
		for r := range t.rows[l] {
			rows = append(rows, r)
		}
		slices.Sort(rows)
		for _, r := range rows {
			fmt.Fprintln(out, r)
		}
	}
	return out.Flush()
}

// catalog reads a message catalog of GNU gettext: the translations by the message, those of the singular first.
func catalog(b []byte) (map[string][]string, error) {
	var order binary.ByteOrder = binary.LittleEndian
	if len(b) < 28 {
		return nil, errors.New("too short for a catalog")
	}
	if order.Uint32(b) != 0x950412de {
		if order = binary.BigEndian; order.Uint32(b) != 0x950412de {
			return nil, errors.New("no catalog")
		}
	}
	n, from, to := order.Uint32(b[8:]), order.Uint32(b[12:]), order.Uint32(b[16:])
	text := func(at uint32) ([]byte, bool) {
		if uint64(at)+8 > uint64(len(b)) {
			return nil, false
		}
		length, start := uint64(order.Uint32(b[at:])), uint64(order.Uint32(b[at+4:]))
		if start+length > uint64(len(b)) {
			return nil, false
		}
		return b[start : start+length], true
	}
	out := map[string][]string{}
	for i := range n {
		id, ok1 := text(from + 8*i)
		s, ok2 := text(to + 8*i)
		if !ok1 || !ok2 {
			return nil, errors.New("cut")
		}
		if _, rest, ok := bytes.Cut(id, []byte{4}); ok { // a context is before it
			id = rest
		}
		one, _, _ := bytes.Cut(id, []byte{0})
		if len(one) == 0 {
			continue
		}
		for _, form := range bytes.Split(s, []byte{0}) {
			if !slices.Contains(out[string(one)], string(form)) {
				out[string(one)] = append(out[string(one)], string(form))
			}
		}
	}
	return out, nil
}
