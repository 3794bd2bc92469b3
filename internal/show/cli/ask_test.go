package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

func TestChoose(t *testing.T) {
	for typed, want := range map[string]string{"y\n": "yes", "YES\n": "yes", "\nwhat\ns\n": "skip", "q": "quit",
		"": "quit", "sk\n": "skip"} {
		var talk bytes.Buffer
		got, err := newLines(strings.NewReader(typed)).choose(context.Background(), &Env{Stderr: &talk}, "Do it?",
			answerYes, answerSkip, answerQuit)
		if err != nil || got != want {
			t.Errorf("%q gives %q, %v, want %s", typed, got, err, want)
		}
		if !strings.Contains(talk.String(), "Do it? [yes/skip/quit] ") {
			t.Errorf("%q was asked with %q", typed, talk.String())
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newLines(blocked{}).choose(ctx, &Env{Stderr: &bytes.Buffer{}}, "?",
		answerYes); err != context.Canceled {
		t.Errorf("an interrupted question ends with %v", err)
	}
}

// TestChooseInAnotherLanguage: the words of the reader's language are shown and
// taken, and the English ones still are.
func TestChooseInAnotherLanguage(t *testing.T) {
	french, err := say.Open("fr")
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{"oui\n": "yes", "y\n": "yes", "p\n": "skip", "s\n": "skip",
		"q\n": "quit", "": "quit"} {
		var talk bytes.Buffer
		got, err := newLines(strings.NewReader(typed)).choose(context.Background(), &Env{Stderr: &talk, words: french},
			"?", answerYes, answerSkip, answerQuit)
		if err != nil || got != want {
			t.Errorf("%q gives %q, %v, want %s", typed, got, err, want)
		}
		if !strings.Contains(talk.String(), "[oui/passer/quitter]") {
			t.Errorf("%q was asked with %q", typed, talk.String())
		}
	}
}

// blocked is an input that never gets data.
type blocked struct{}

func (blocked) Read([]byte) (int, error) { select {} }
