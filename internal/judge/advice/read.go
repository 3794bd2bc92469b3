package advice

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/docs/pages"
)

// embedded are the pages of this program. That each of them can be read, a test holds.
var embedded = sync.OnceValues(func() ([]Page, error) { return Read(pages.Files) })

// All returns every page, sorted by ID. The list is the caller's, what its pages hold is not.
func All() []Page {
	list, _ := embedded() // Read omits a page that it refuses
	return slices.Clone(list)
}

// Read returns the pages of a directory, which are in its root as ID.md, sorted by ID. Pages that cannot be read are
// omitted, and the error names each of them as FILE:LINE.
//
// A file begins with its front matter between two lines "---": one field a line as "name: value", lists as [a, b],
// values and items in double quotes if YAML requires them, and comments after "#". The text follows, in paragraphs with
// a blank line between them; a line break within a paragraph is a space. A block of lines that begin with four spaces
// are lines to copy.
func Read(folder fs.FS) ([]Page, error) {
	names, err := fs.Glob(folder, "*.md")
	if err != nil {
		return nil, err
	}
	var out []Page
	var errs []error
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		var p Page
		var line int
		p.Text, line, err = parse(string(text), p.set)
		if err == nil && p.ID+".md" != name {
			line, err = 1, fmt.Errorf("the id of this page is %q: a page stands in a file of its name", p.ID)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, line, err))
			continue
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Page) int { return strings.Compare(a.ID, b.ID) })
	return out, errors.Join(errs...)
}

// fence is the line before and after the front matter.
const fence = "---"

// parse reads one file: it gives each field of its front matter to set, and returns the
// paragraphs. An error comes with the number of the line that it is about, from 1.
func parse(text string, set func(name, value string) error) ([]string, int, error) {
	lines := strings.Split(text, "\n")
	if lines[0] != fence {
		return nil, 1, fmt.Errorf("a page begins with a line %s", fence)
	}
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		switch {
		case line == fence:
			return paragraphs(lines[i+2:]), 0, nil
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		var err error
		switch {
		case !ok:
			err = fmt.Errorf("%q is no field: write name: value", line)
		case seen[name]:
			err = fmt.Errorf("%s appears twice", name)
		default:
			err = set(name, strings.TrimSpace(value))
		}
		if err != nil {
			return nil, i + 2, err
		}
		seen[name] = true
	}
	return nil, len(lines), fmt.Errorf("no line %s ends the front matter", fence)
}

// set gives a field of the front matter its value. An error says what is wrong with the
// name or with the value.
func (p *Page) set(name, value string) error {
	words := map[string]*string{
		"id": &p.ID, "kind": (*string)(&p.Kind), "title": &p.Title, "read": &p.Read, "since": &p.Since,
		"until":  &p.Until,
		"verify": &p.Verify, "beyond": &p.Beyond,
	}
	lists := map[string]*[]string{"names": &p.Names, "sources": &p.Sources, "see": &p.See}
	if to := lists[name]; to != nil {
		var err error
		*to, err = list(value)
		return err
	}
	return setWord(words, name, value)
}

// setWord gives one of the words its value.
func setWord(words map[string]*string, name, value string) error {
	to := words[name]
	if to == nil {
		return fmt.Errorf("there is no field %q", name)
	}
	text, rest, err := scalar(value, "")
	if err == nil && rest != "" {
		err = fmt.Errorf("%s: %q stands after the quotes", name, rest)
	}
	*to = text
	return err
}

// scalar reads one value, up to the first of the bytes in end, and returns it with what
// follows. It refuses what YAML would read as something else.
func scalar(text, end string) (value, rest string, err error) {
	if strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err == nil {
			value, err = strconv.Unquote(quoted)
		}
		if err != nil {
			return "", "", fmt.Errorf("%s: quotes that do not end, or a backslash before what needs none", text)
		}
		return value, strings.TrimSpace(text[len(quoted):]), nil
	}
	value = text
	if i := strings.IndexAny(text, end); i >= 0 {
		value, rest = text[:i], text[i:]
	}
	value = strings.TrimSpace(value)
	if strings.Contains(value, ": ") || strings.Contains(value, " #") || strings.HasSuffix(value, ":") ||
		value != "" && strings.Contains("[]{}>|*&!%@`'#?,", value[:1]) {
		return "", "", fmt.Errorf("%s: YAML wants this in double quotes", value)
	}
	return value, rest, nil
}

// list reads [a, b]; nil for an empty one. An error names what is no list, and an item
// without words.
func list(text string) ([]string, error) {
	inner, ok := strings.CutPrefix(text, "[")
	if ok {
		inner, ok = strings.CutSuffix(inner, "]")
	}
	if !ok {
		return nil, fmt.Errorf("%q is no list: write [a, b]", text)
	}
	var out []string
	for inner = strings.TrimSpace(inner); inner != ""; {
		item, rest, err := scalar(inner, ",")
		if err != nil {
			return nil, err
		}
		next, more := strings.CutPrefix(rest, ",")
		inner = strings.TrimSpace(next)
		if item == "" || rest != "" && !more || more && inner == "" {
			return nil, fmt.Errorf("%s: an item without words, or no comma after one", text)
		}
		out = append(out, item)
	}
	return out, nil
}

// paragraphs joins the lines of each paragraph. A block of lines to copy keeps its lines: in the file each begins with
// four spaces, by which Markdown knows it too, and in the text of the page with two.
func paragraphs(lines []string) []string {
	var out, at []string
	for _, line := range append(slices.Clone(lines), "") {
		if strings.TrimSpace(line) != "" {
			at = append(at, strings.TrimRight(line, " "))
		} else if len(at) > 0 {
			out, at = append(out, block(at)), nil
		}
	}
	return out
}

// block is one paragraph, or one block of lines to copy.
func block(lines []string) string {
	if !slices.ContainsFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "    ") }) {
		for i, l := range lines {
			lines[i] = strings.TrimPrefix(l, "  ")
		}
		return strings.Join(lines, "\n")
	}
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, " ")
}

// Lines are the lines to copy if a text of a page is a block of them, else nothing.
func Lines(text string) []string {
	if !strings.HasPrefix(text, "  ") {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return lines
}
