package web

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/html"
)

// The library writes colors and fonts into style attributes, which a strict policy refuses and which know one theme.
// themed reads its picture as XML and writes it again: inks become classes, widths become presentation attributes,
// fonts are left to the page. What it does not know it refuses, so that a new release of the library shows in a test
// and not on a page.

// fills and strokes are the classes of the inks.
var fills, strokes = map[string]string{}, map[string]string{}

func init() {
	for i := range mostSeries {
		name := hex(uint8(inkSeries + i))
		fills[name], strokes[name] = fmt.Sprintf("f%d", i+1), fmt.Sprintf("s%d", i+1)
	}
	for n, class := range map[uint8]string{inkAxis: "axis", inkGrid: "grid", inkNull: "null", inkBar: "bar"} {
		strokes[hex(n)] = class
	}
	fills[hex(inkText)], fills[hex(inkBar)] = "text", "f1"
}

// hex is an ink as the library spells it.
func hex(n uint8) string { return fmt.Sprintf("#A15E%02X", n) }

// themedAttr is one attribute that is written.
type themedAttr struct{ Name, Value string }

func themed(svg []byte, id, title, desc string) (template.HTML, error) {
	dec := xml.NewDecoder(bytes.NewReader(svg))
	var b strings.Builder
	var open []string
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("web: picture %s: %w", id, err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			name := t.Name.Local
			attrs, err := attributes(t)
			if err != nil {
				return "", fmt.Errorf("web: picture %s: %w", id, err)
			}
			b.WriteString("<" + name)
			for _, a := range attrs {
				b.WriteString(" " + a.Name + `="` + template.HTMLEscapeString(a.Value) + `"`)
			}
			if name == "svg" {
				fmt.Fprintf(&b,
					` class="chart" xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="%s-name %s-desc">`,
					template.HTMLEscapeString(id), template.HTMLEscapeString(id))
				fmt.Fprintf(&b, "\n<title id=\"%s-name\">%s</title><desc id=\"%s-desc\">%s</desc>\n",
					template.HTMLEscapeString(id), template.HTMLEscapeString(title), template.HTMLEscapeString(id),
					template.HTMLEscapeString(desc))
			} else {
				b.WriteString(">")
			}
			open = append(open, name)
		case xml.EndElement:
			b.WriteString("</" + t.Name.Local + ">\n")
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 && open[len(open)-1] == "text" {
				b.WriteString(template.HTMLEscapeString(string(t)))
			}
		}
	}
	return template.HTML(html.Seen(b.String())), nil
}

// attributes are those of an element as they are written: the ones that place it,
// and its style as class and presentation attributes.
func attributes(t xml.StartElement) ([]themedAttr, error) {
	var out []themedAttr
	style := ""
	for _, a := range t.Attr {
		name := a.Name.Local
		switch {
		case name == "style":
			style = a.Value
		case t.Name.Local == "svg" && (name == "width" || name == "height" || a.Name.Space == "xmlns" ||
			name == "xmlns"):
		case t.Name.Local == "svg" && name == "viewBox", t.Name.Local == "g" && name == "transform",
			t.Name.Local == "path" && name == "d",
			t.Name.Local == "text" && (name == "x" || name == "y" || name == "transform"):
			out = append(out, themedAttr{name, a.Value})
		default:
			return nil, fmt.Errorf("<%s> with %s", t.Name.Local, name)
		}
	}
	switch t.Name.Local {
	case "svg", "g":
		return out, nil
	case "path", "text":
	default:
		return nil, fmt.Errorf("<%s> is not known", t.Name.Local)
	}
	said := map[string]string{}
	for _, pair := range strings.Split(style, ";") {
		if key, value, ok := strings.Cut(pair, ":"); ok {
			said[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	class, known := "", false
	switch {
	case t.Name.Local == "text":
		class, known = fills[said["fill"]]
	case said["stroke"] != "" && said["fill"] == "none":
		class, known = strokes[said["stroke"]]
	default:
		class, known = fills[said["fill"]]
	}
	if !known {
		return nil, fmt.Errorf("<%s> in a colour that is no ink: %q", t.Name.Local, style)
	}
	out = append(out, themedAttr{"class", class})
	for _, key := range []string{"stroke-width", "stroke-dasharray", "font-size"} {
		value, ok := said[key]
		if !ok || value == "none" {
			continue
		}
		for _, n := range strings.Split(strings.TrimSuffix(value, "px"), ",") {
			if _, err := strconv.ParseFloat(n, 64); err != nil {
				return nil, fmt.Errorf("<%s>: %s: %q", t.Name.Local, key, value)
			}
		}
		out = append(out, themedAttr{key, strings.TrimSuffix(value, "px")})
	}
	return out, nil
}
