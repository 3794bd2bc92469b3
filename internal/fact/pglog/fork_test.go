package pglog

import (
	"strings"
	"testing"
)

// TestForks: forks of PostgreSQL have columns of their own in csvlog: the severity and the SQLSTATE say where the
// message is.
func TestForks(t *testing.T) {
	const log = `2026-05-30 09:40:56 CST,"6828","app","shop",p8074,"10.0.3.1(459)",2026-05-30 09:40:52 CST,0,,,seg-1,` +
		`,,,sx1,"WARNING","57P02",,,,,"terminating connection because of crash of another server process",` +
		`"The postmaster.","In a moment.",,,,,0,"quickdie","postgres.c",3612,` + "\n" +
		`2026-05-30 09:40:56 CST,"6828",,,p8072,,,0,,,seg-1,,,,,"LOG","00000",,,,,"all server processes terminated; ` +
		`reinitializing",,,,,,,0,"PostmasterStateMachine","postmaster.c",4427,` + "\n" +
		`2026-05-30 09:40:56 CST,"6828",,,p8073,,,0,,,seg-1,,,,,"LOG","00000",,,,,"database system was interr`
	l, src := readAll(t, log, Options{})
	text := strings.Join(l.lines, "\n")
	if src.Format != CSV || src.Entries < 2 || src.Foreign != 0 || !strings.Contains(text, "8074") ||
		!strings.Contains(text, "terminating connection because of "+
			"crash") || !strings.Contains(text, "reinitializing") {
		t.Errorf("%+v\n%s", src, text)
	}
}

// TestBareLabelsAmongTimes: times in messages do not split lines that begin with labels.
func TestBareLabelsAmongTimes(t *testing.T) {
	l, src := readAll(t, "This is what someone had:\n\n"+
		"LOG: database system was interrupted while in recovery at 2026-11-03 12:43:09 PST\n"+
		"HINT: This probably means that some data is corrupted and you will have to use the last backup for "+
		"recovery.\n"+
		"LOG: database system was not properly shut down; automatic recovery in progress\n"+
		"LOG: last completed transaction was at log time 2026-10-25 17:42:53.836929-07\n"+
		"FATAL: right sibling's left-link doesn't match: block 6 links to 9 instead of expected 8 in index \"i\"\n\n"+
		"As you can see, it has no good news.\n", Options{})
	text := strings.Join(l.lines, "\n")
	if src.Entries < 4 || strings.Contains(text, "As you can see") || strings.Contains(text, "2026-10-25 17:42:53 "+
		"FATAL") {
		t.Errorf("%+v\n%s", src, text)
	}
}

// TestWordsBehindALog: the empty lines of a page are of the words around a log whose entries stand together.
func TestWordsBehindALog(t *testing.T) {
	const entry = "2026-06-21 16:03:50.654 ACST [4938] FATAL:  remaining connection slots are reserved for " +
		"non-replication superuser connections\n"
	l, _ := readAll(t, entry+entry+"\nand the server shows a large number of idle sessions.\n\n### Host\n\nUbuntu "+
		"22.04\n",
		Options{})
	if text := strings.Join(l.lines, "\n"); len(l.lines) != 2 || strings.Contains(text, "large number") {
		t.Error(text)
	}
}

// TestCutTime: the beginning of a time at the end of a text is of no message.
func TestCutTime(t *testing.T) {
	l, _ := readAll(t, "> 2026-10-12 09:46:14 MSK [14407-1313]  LOG:  new timeline 103 forked off current database "+
		"system "+
		"timeline 102 before current recovery point 23/25007388\n> 2026-10-", Options{})
	if text := strings.Join(l.lines, "\n"); !strings.Contains(text, "23/25007388") ||
		strings.Contains(text, "2026-10-\n") || strings.Contains(text, "250073882026") {
		t.Error(text)
	}
}
