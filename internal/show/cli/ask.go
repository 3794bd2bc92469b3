package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// lines reads what a person types, one line a question.
type lines struct{ r *bufio.Reader }

func newLines(r io.Reader) *lines { return &lines{bufio.NewReader(io.LimitReader(r, 1<<16))} } // no one types more

// The answers to questions.
var (
	answerYes  = say.M("yes")
	answerNo   = say.M("no")
	answerSkip = say.M("skip")
	answerQuit = say.M("quit")
)

// choose asks until the answer is one of the words or begins one of them, in the
// reader's language or in English, and returns the English one. The end of the
// input is the last word. An interrupt ends the waiting.
func (l *lines) choose(ctx context.Context, env *Env, question string, answers ...say.Message) (string, error) {
	var words, shown []string
	for _, a := range answers {
		words, shown = append(words, a.String()), append(shown, a.In(env.words))
	}
	for {
		fmt.Fprintf(env.Stderr, "\n%s [%s] ", question, strings.Join(shown, "/"))
		answer, err := l.line(ctx)
		if errors.Is(err, io.EOF) && strings.TrimSpace(answer) == "" {
			fmt.Fprintln(env.Stderr)
			return words[len(words)-1], nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		answer = strings.ToLower(strings.TrimSpace(answer))
		for _, list := range [][]string{shown, words} {
			for i, w := range list {
				if answer != "" && strings.HasPrefix(w, answer) {
					return words[i], nil
				}
			}
		}
	}
}

// line waits for a line or for the end of the context. The reader itself cannot
// be woken; what it still reads after that is lost with the process.
func (l *lines) line(ctx context.Context) (string, error) {
	type read struct {
		text string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		text, err := l.r.ReadString('\n')
		got <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-got:
		return r.text, r.err
	}
}
