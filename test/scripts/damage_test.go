package scripts

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pgfettle/pgfettle/test/journals"
)

// onJournal makes a command COMMAND DIR that changes the lines of the one journal in a directory, each with its
// newline.
func onJournal(f func(lines [][]byte) [][]byte) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: COMMAND DIR")
		}
		names, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.jsonl"))
		ts.Check(err)
		if len(names) != 1 {
			ts.Fatalf("%d journals in %s", len(names), args[0])
		}
		data, err := os.ReadFile(names[0])
		ts.Check(err)
		lines := bytes.SplitAfter(data, []byte("\n"))
		ts.Check(os.WriteFile(names[0], bytes.Join(f(lines[:len(lines)-1]), nil), 0o600))
	}
}

// spoil changes a byte of the first line that announces a step, in a value that an
// undo would put back.
func spoil(lines [][]byte) [][]byte {
	for i, l := range lines {
		if bytes.Contains(l, []byte(`"kind":"intend"`)) {
			lines[i] = bytes.Replace(l, []byte(`"before":{`), []byte(`"before":[`), 1)
			break
		}
	}
	return lines
}

// lose takes all lines away but those of the plan, as if they had never been.
func lose(lines [][]byte) [][]byte {
	for i, l := range lines {
		if bytes.Contains(l, []byte(`"kind":"intend"`)) {
			return lines[:i]
		}
	}
	return lines
}

// unended takes the last line away.
func unended(lines [][]byte) [][]byte { return lines[:len(lines)-1] }

var (
	ofHost = regexp.MustCompile(`"hostname":"[^"]*"`)
	chain  = regexp.MustCompile(`,"seq":\d+,"sum":"[0-9a-f]+"\}\n`)
)

// renamed makes it the journal that a host of another name would have written.
func renamed(lines [][]byte) [][]byte {
	text := chain.ReplaceAll(bytes.Join(lines, nil), []byte("}\n"))
	return [][]byte{journals.Chained(string(ofHost.ReplaceAll(text, []byte(`"hostname":"another"`))))}
}
