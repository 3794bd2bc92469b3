package outline

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// markCommands marks the commands of a finding where its remedy names them, so that a form can
// set them apart from prose and have them copied whole.
func markCommands(f Field, commands []check.Command) Field {
	mark := func(p Prose) Prose {
		for _, c := range commands {
			p = marked(marked(p, c.Text), strings.TrimSuffix(c.Text, ";")) // where it continues with "and reload"
		}
		return p
	}
	for i := range f.Items {
		it := &f.Items[i]
		it.Text = mark(it.Text)
		for n, b := range it.More {
			if p, ok := b.(Para); ok {
				p.Text = mark(p.Text)
				it.More[n] = p
			}
		}
	}
	return f
}

// marked is a text in which each place of a command is a separate piece; what is marked already stays, so that a
// command within a longer one is not marked twice.
func marked(p Prose, command string) Prose {
	if command == "" {
		return p
	}
	var out Prose
	for _, piece := range p {
		for piece.As == AsText {
			before, after, found := strings.Cut(piece.Text, command)
			if !found {
				break
			}
			out = append(out, Join(Piece{Text: before, Topic: piece.Topic}, Piece{Text: command, As: AsCommand})...)
			piece.Text = after
		}
		out = append(out, Join(piece)...)
	}
	return out
}
