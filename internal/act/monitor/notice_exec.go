package monitor

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// execWithin is how long the program of a notice may take: to send a mail or
	// to call a pager takes seconds.
	execWithin = 30 * time.Second
	// execOutput is what it may say; only its last line is used, in an error.
	execOutput = 64 << 10
	// execLine is what is shown of it.
	execLine = 200
)

// Exec runs a program for each notice, with the document on its standard input.
type Exec struct {
	Target target.Target
	Argv   []string
}

// Name implements Sink.
func (x *Exec) Name() string { return "notify exec:" + x.Argv[0] }

// Send implements Sink. The program gets PATH and a few variables of ours, and nothing else of the environment. It is
// not run again if it fails: it may have done half of its work.
func (x *Exec) Send(ctx context.Context, body []byte) error {
	out, err := x.Target.Run(ctx, target.Command{Argv: x.Argv, Stdin: slices.Concat(body, []byte{'\n'}), Bare: true,
		Env: []string{"PGFETTLE_NOTICE=" + NoticeSchema}, Dir: "/", Timeout: execWithin, Limit: execOutput})
	switch {
	case err != nil:
		return err
	case out.Code != 0:
		return lastWords(out)
	}
	return nil
}

// lastWords is the error of a program that failed: its exit status, and the last line that it wrote.
func lastWords(out target.Output) error {
	s := strings.TrimSpace(string(out.Stderr))
	s = s[strings.LastIndexByte(s, '\n')+1:]
	if s == "" {
		return say.Err("exit status {code}", "code", strconv.Itoa(out.Code))
	}
	return say.Err("exit status {code}: {output}", "code", strconv.Itoa(out.Code), "output", s[:min(len(s), execLine)])
}

// Words splits a text into words as a shell does: at blanks, with quotes and
// backslashes, and nothing else: no variable, no pattern, no pipe.
func Words(s string) ([]string, error) {
	var out []string
	var word strings.Builder
	begun, quote := false, rune(0)
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' && r != '$' && r != '`' {
				word.WriteByte('\\') // within double quotes it stands for itself
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0:
			if r == quote {
				quote = 0
				continue
			}
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if begun {
				out = append(out, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	switch {
	case quote != 0:
		return nil, say.Err("unterminated quote")
	case escaped:
		return nil, say.Err("trailing backslash")
	case begun:
		out = append(out, word.String())
	}
	if len(out) == 0 || out[0] == "" {
		return nil, say.Err("no program given")
	}
	for _, w := range out {
		if strings.ContainsRune(w, 0) {
			return nil, say.Err("NUL byte in an argument")
		}
	}
	return out, nil
}
