// Package advice holds the pages about what no check can see and no knob can set: choices of hardware and of how an
// application is written, and common claims that are outdated or wrong. Each page is a Markdown file in docs/pages,
// embedded in the program. Its translations are in a directory per language.
//
// A page is found by its id and by other names: a removed setting, a kernel file, a
// mount option, a tool.
package advice

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Kind says what a page is for.
type Kind string

// The kinds.
const (
	Advice      Kind = "advice"      // a choice that no program can see or make
	NotSo       Kind = "not so"      // corrects a claim that is outdated or wrong
	Application Kind = "application" // what the program that sends the queries has to do
)

// kindWords are the kinds as people read them.
var kindWords = map[Kind]say.Message{
	Advice:      say.M("advice"),
	NotSo:       say.M("correction"),
	Application: say.M("application"),
}

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Advice, Application, NotSo} }

// Message is the kind as people read it; an id in a document stays as it is.
func (k Kind) Message() say.Message { return kindWords[k] }

// Page is one page, ID.md of docs/pages: the fields of its front matter, in lower
// case, and the paragraphs of its text. Read, and Since or nothing, are for NotSo only; Until,
// Verify, See, and Beyond may be empty.
type Page struct {
	ID      string // words with hyphens, so that it is never taken for a setting or a check
	Kind    Kind
	Title   string   // a clause without a full stop
	Names   []string // what else it is found by, whatever the case of the letters
	Read    string   // NotSo: the claim, a clause without a full stop
	Since   string   // NotSo: what made the claim outdated, such as "PostgreSQL 15"; empty: it was never true
	Until   string   // the last version for which the claim is true
	Text    []string // what is right, in paragraphs and blocks of lines to copy (see Lines)
	Verify  string   // how to verify it
	Sources []string // ids of base/say
	See     []string // ids of checks and pages, addresses of knobs
	Beyond  string   // why the page is there though no statement of test/coverage leads to it; else empty
}

// Verdict is the claim of a NotSo page, and since when it is outdated; nothing for other
// kinds.
func (p Page) Verdict() say.Message {
	switch {
	case p.Kind != NotSo:
		return say.Message{}
	case p.Since == "":
		return say.M("Claim: {claim}. This was never true.", "claim", p.Read)
	case p.Until == "":
		return say.M("Claim: {claim}. This is outdated since {since}.", "claim", p.Read, "since", p.Since)
	}
	return say.M("Claim: {claim}. This was true up to {until} and is outdated since {since}.",
		"claim", p.Read, "since", p.Since, "until", p.Until)
}

// ByName returns the pages that a name finds: its id or one of its names, whatever the case, hyphens for underscores,
// with or without the prefix of an address (sysctl:…) and the directories of a kernel value (vm.…).
func ByName(name string) []Page {
	want := comparableName(name)
	if want == "" {
		return nil
	}
	var out []Page
	for _, p := range All() {
		if comparableName(p.ID) == want {
			return []Page{p}
		}
		if slices.ContainsFunc(p.Names, func(n string) bool { return answers(comparableName(n), want) }) {
			out = append(out, p)
		}
	}
	return out
}

// Of returns the pages with more about a check or a knob: those that point to it and those that have its name.
func Of(id string) []Page {
	want := comparableName(id)
	var out []Page
	for _, p := range All() {
		if slices.Contains(p.See, id) || slices.ContainsFunc(p.Names,
			func(n string) bool { return comparableName(n) == want }) {
			out = append(out, p)
		}
	}
	return out
}

// comparableName brings a name to the form in which names are compared.
func comparableName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if _, after, ok := strings.Cut(name, ":"); ok {
		name = after
	}
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.TrimLeft(name, "-"))
}

// folders of kernel values, which people omit.
var folders = []string{"vm.", "kernel."}

// answers reports whether a page's name is what was asked for, in full or without the directory of a kernel value.
func answers(name, want string) bool {
	for _, f := range folders {
		if rest, ok := strings.CutPrefix(name, f); ok && rest == want {
			return true
		}
	}
	return name == want
}

// Names returns what pages are found by: every id and every other name.
func Names() []string {
	var out []string
	for _, p := range All() {
		out = append(append(out, p.ID), p.Names...)
	}
	return out
}
