package queryplan

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// parseXML reads every plan that EXPLAIN wrote as XML; none is no error. A plan that
// is cut off is read as far as it goes.
func parseXML(text string) ([]*Plan, error) {
	const begin = "<explain"
	var out []*Plan
	for at := strings.Index(text, begin); at >= 0 && len(out) < maxPlans; {
		part := text[at:]
		end := strings.Index(part, "</explain>")
		next := len(text)
		if end >= 0 {
			next = at + end + len("</explain>")
			part = text[at:next]
		}
		part = strings.Join(tidy(part), "\n")
		dec := xml.NewDecoder(strings.NewReader(part))
		dec.Strict = false
		root, cut := element(dec, "", 0)
		o, _ := root.(map[string]any)
		for _, q := range queries(o) {
			if object(q).object("Plan").text("Node Type") == "" {
				continue
			}
			p, err := planOf(q, false)
			if err != nil {
				return nil, err
			}
			p.Format = "xml"
			if cut && p.Cut == "" {
				p.Cut = lastLine(part)
			}
			if p.Execution == nil {
				p.Execution = durationBefore(strings.Split(text[:at], "\n"))
				p.Logged = p.Execution != nil
			}
			p.finish()
			out = append(out, p)
		}
		i := strings.Index(text[next:], begin)
		if i < 0 {
			break
		}
		at = next + i
	}
	return out, nil
}

// queries are the objects that hold a plan: the element Query, one or several.
func queries(o map[string]any) []map[string]any {
	in, ok := o["explain"].(map[string]any)
	if !ok {
		return nil
	}
	switch q := in["Query"].(type) {
	case map[string]any:
		return []map[string]any{q}
	case []any:
		var out []map[string]any
		for _, v := range q {
			if m, ok := v.(map[string]any); ok {
				out = append(out, m)
			}
		}
		return out
	}
	return []map[string]any{in} // auto_explain
}

func lastLine(text string) string {
	t := strings.TrimSpace(text)
	return strings.TrimSpace(t[strings.LastIndexByte(t, '\n')+1:])
}

// lists are the elements whose children are those of a list.
var lists = map[string]bool{"Plans": true, "Workers": true, "Triggers": true, "Grouping Sets": true,
	"Group Keys": true, "Hash Keys": true}

// element reads what is in an element: its text, a list, or its children by name. The
// second result is true where it ends before its end.
func element(dec *xml.Decoder, name string, depth int) (any, bool) {
	var text strings.Builder
	var list []any
	fields := map[string]any{}
	item := lists[name]
	whole := func() any { return value(name, fields, list, item, text.String()) }
	for {
		tok, err := dec.Token()
		if err != nil {
			return whole(), depth > 0 || !errors.Is(err, io.EOF)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			if depth > 4*maxDepth {
				return fields, true
			}
			child := keyOf(t.Name.Local)
			v, cut := element(dec, child, depth+1)
			switch old, ok := fields[child]; {
			case child == "Item", lists[name]:
				item = true
				list = append(list, v)
			case !ok:
				fields[child] = v
			case child == "Query": // several statements
				l, is := old.([]any)
				if !is {
					l = []any{old}
				}
				fields[child] = append(l, v)
			}
			if cut {
				return whole(), true
			}
		case xml.EndElement:
			return whole(), false
		case xml.CharData:
			if text.Len() < 1<<20 {
				text.Write(t)
			}
		}
	}
}

// keyOf is the name that JSON has for an element.
func keyOf(name string) string {
	name = strings.ReplaceAll(strings.ReplaceAll(name, "I-O", "I/O"), "-", " ")
	switch name {
	case "One Time Filter":
		return "One-Time Filter"
	case "Full sort Groups":
		return "Full-sort Groups"
	case "Pre sorted Groups":
		return "Pre-sorted Groups"
	}
	return name
}

func value(name string, fields map[string]any, list []any, item bool, text string) any {
	text = strings.TrimSpace(text)
	switch {
	case item, text == "" && len(fields) == 0 && (name == "Group Key" || name == "Hash Key"):
		return list
	case len(fields) > 0:
		return fields
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return json.Number(text)
	}
	switch text {
	case "true":
		return true
	case "false":
		return false
	}
	return text
}
