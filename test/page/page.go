// Package page reads a page as a browser does and says what is wrong with it:
// whatever would be loaded from elsewhere or run, whatever a strict content
// security policy would refuse, and whatever a person who uses the keyboard, a
// screen reader or paper would miss.
package page

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

// Problems lists what is wrong with a page. standalone: it is one file, with its
// style sheet inside and no script at all.
func Problems(doc []byte, standalone bool) []string {
	r := &reader{standalone: standalone, ids: map[string]int{}, started: map[string]int{}, parsed: map[string]int{}}
	r.tokens(doc)
	tree, err := html.Parse(bytes.NewReader(doc))
	if err != nil {
		return append(r.found, err.Error())
	}
	r.node(tree)
	// What is nested as HTML does not allow is moved or closed by the parser, which
	// then has more elements, or fewer, than the text has tags.
	for name, n := range r.started {
		if implied[name] || r.parsed[name] == n {
			continue
		}
		r.say("<%s> is written %d times and read %d times: it stands where it may not", name, n, r.parsed[name])
	}
	for id, n := range r.ids {
		if n > 1 {
			r.say("the id %q is there %d times", id, n)
		}
	}
	for _, ref := range r.refs {
		if r.ids[ref] == 0 {
			r.say("#%s is named and not there", ref)
		}
	}
	if r.h1 != 1 {
		r.say("%d headings of the first level", r.h1)
	}
	return r.found
}

// implied are elements that a parser adds where they are omitted.
var implied = map[string]bool{"html": true, "head": true, "body": true, "tbody": true}

var void = map[string]bool{"meta": true, "link": true, "br": true, "img": true, "input": true, "hr": true, "col": true,
	"wbr": true, "area": true, "base": true, "embed": true, "source": true, "track": true}

type reader struct {
	standalone      bool
	found           []string
	ids             map[string]int
	refs            []string
	started, parsed map[string]int
	h1, level       int
}

func (r *reader) say(format string, args ...any) {
	r.found = append(r.found, fmt.Sprintf(format, args...))
}

// tokens verifies that every element that is opened is closed, in order.
func (r *reader) tokens(doc []byte) {
	z := html.NewTokenizer(bytes.NewReader(doc))
	var open []string
	for {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				r.say("never closed: %v", open)
			}
			return
		case html.StartTagToken:
			name, _ := z.TagName()
			r.started[string(name)]++
			if !void[string(name)] {
				open = append(open, string(name))
			}
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			r.started[string(name)]++
		case html.EndTagToken:
			name, _ := z.TagName()
			if n := len(open); n == 0 || open[n-1] != string(name) {
				r.say("</%s> closes what is not open: %v", name, open)
				return
			}
			open = open[:len(open)-1]
		}
	}
}

func attr(n *html.Node, name string) string {
	v, _ := lookup(n, name)
	return v
}

func lookup(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if strings.EqualFold(a.Key, name) {
			return a.Val, true
		}
	}
	return "", false
}

func text(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(text(c))
	}
	return strings.TrimSpace(b.String())
}

// child is the first element below a node that is one of the names, at any depth.
func child(n *html.Node, name string) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == name {
			return c
		}
		if d := child(c, name); d != nil {
			return d
		}
	}
	return nil
}

func first(n *html.Node) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}

func (r *reader) node(n *html.Node) {
	switch n.Type {
	case html.CommentNode:
		r.say("a comment: %q", n.Data)
	case html.TextNode:
		for _, c := range n.Data {
			if c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f && c <= 0x9f || c >= 0x202a && c <= 0x202e ||
				c >= 0x2066 && c <= 0x2069 {
				r.say("a character that acts unseen: %U in %q", c, n.Data)
			}
		}
	case html.ElementNode:
		r.parsed[n.Data]++
		r.attributes(n)
		r.element(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.node(c)
	}
}

func (r *reader) attributes(n *html.Node) {
	for _, a := range n.Attr {
		key, val := strings.ToLower(a.Key), strings.ToLower(strings.TrimSpace(a.Val))
		switch {
		case key == "style":
			r.say("<%s> has a style attribute", n.Data)
		case strings.HasPrefix(key, "on"):
			r.say("<%s> has the handler %s", n.Data, key)
		case key == "id":
			r.ids[a.Val]++
			if strings.ContainsAny(a.Val, " \t\n") || a.Val == "" {
				r.say("the id %q", a.Val)
			}
		case key == "aria-labelledby" || key == "aria-describedby" || key == "for" || key == "headers":
			r.refs = append(r.refs, strings.Fields(a.Val)...)
		case key == "href" && n.Data == "a":
			switch {
			case strings.HasPrefix(val, "#"):
				r.refs = append(r.refs, a.Val[1:])
			case strings.HasPrefix(val, "/") && !strings.HasPrefix(val, "//"), strings.HasPrefix(val, "https://"):
			case strings.HasPrefix(val, "?") && !r.standalone:
			default:
				r.say("a link to %q", a.Val)
			}
		case key == "href" || key == "src" || key == "srcset" || key == "action" || key == "formaction" ||
			key == "data" || key == "poster" || key == "xlink:href" || key == "background":
			if r.standalone || !strings.HasPrefix(val, "/") || strings.HasPrefix(val, "//") {
				r.say("<%s %s=%q> is loaded or sent", n.Data, key, a.Val)
			}
		case key == "tabindex" && val != "0" && val != "-1":
			r.say("tabindex %s changes the order of the keyboard", val)
		}
	}
}

func (r *reader) element(n *html.Node) {
	switch n.Data {
	case "html":
		if attr(n, "lang") == "" {
			r.say("the page does not say its language")
		}
	case "title":
		if n.Namespace == "" && text(n) == "" {
			r.say("the page has no title")
		}
	case "script":
		if r.standalone || attr(n, "src") == "" || text(n) != "" {
			r.say("a script in the page: %q", text(n))
		}
	case "style":
		if !r.standalone {
			r.say("an inline style sheet")
		}
		if css := strings.ToLower(text(n)); strings.Contains(css, "@import") || strings.Contains(css, "url(") {
			r.say("the style sheet loads something")
		}
	case "iframe", "object", "embed", "base", "applet", "foreignobject":
		r.say("<%s>", n.Data)
	case "svg":
		r.svg(n)
	case "img":
		if _, ok := lookup(n, "alt"); !ok {
			r.say("an <img> without alt")
		}
	case "table":
		r.table(n)
	case "details":
		if f := first(n); f == nil || f.Data != "summary" || text(f) == "" {
			r.say("<details> without a summary")
		}
	case "a", "button":
		if text(n) == "" && attr(n, "aria-label") == "" {
			r.say("<%s> without a text", n.Data)
		}
	case "input", "select", "textarea":
		if attr(n, "type") == "hidden" || attr(n, "type") == "submit" || attr(n, "aria-label") != "" {
			return
		}
		for p := n.Parent; p != nil; p = p.Parent {
			if p.Data == "label" {
				return
			}
		}
		if attr(n, "id") == "" {
			r.say("<%s name=%q> without a label", n.Data, attr(n, "name"))
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		level := int(n.Data[1] - '0')
		if level == 1 {
			r.h1++
		}
		if level > r.level+1 {
			r.say("<%s> %q comes after a heading of level %d", n.Data, text(n), r.level)
		}
		if text(n) == "" {
			r.say("an empty heading")
		}
		r.level = level
	}
}

// svg verifies that a picture has a name, or is nothing but ornament.
func (r *reader) svg(n *html.Node) {
	if attr(n, "aria-hidden") == "true" {
		return
	}
	title := child(n, "title")
	if attr(n, "role") != "img" || title == nil || text(title) == "" ||
		attr(n, "aria-labelledby") == "" && attr(n, "aria-label") == "" {
		r.say("an <svg> without role, title and name")
	}
}

func (r *reader) table(n *html.Node) {
	f := first(n)
	if f == nil || f.Data != "caption" || text(f) == "" {
		r.say("a table without a caption")
	}
	var heads func(*html.Node)
	heads = func(c *html.Node) {
		for c = c.FirstChild; c != nil; c = c.NextSibling {
			if c.Data == "th" && attr(c, "scope") == "" {
				r.say("a <th> %q without scope", text(c))
			}
			if c.Data != "table" {
				heads(c)
			}
		}
	}
	heads(n)
}
