// Package shapes has every shape of a template in the source, for the test of words.
package shapes

import "github.com/pgfettle/pgfettle/internal/base/say"

const constant = "a constant {n}"

const typed say.Template = "a typed constant"

type holder struct{ text say.Template }

func found(text say.Template, pairs ...any) say.Message { return say.M(text, pairs...) }

func shapes(n int, other bool, name string) []any {
	text := say.Template("one way")
	if other {
		text = "another way"
	}
	return []any{
		found(text), found(constant, "n", n), found(typed + " and more"), say.N(n, "{n} thing", "{n} things"),
		say.M("nested {x}", "x", say.M("an argument")),
		holder{text: "{n} field"}, []say.Template{"an element"},
		say.All("; ", say.M("a part of a list"), say.Text(name)), holder{}.text,
		"not a template",
		// What follows is not constant.
		//
		found(say.Template(name)),
		found(text + "; "),
	}
}
