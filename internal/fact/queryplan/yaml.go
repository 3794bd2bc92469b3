package queryplan

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan/pasted"
)

// parseYAML reads every plan that EXPLAIN wrote as YAML: block mappings and sequences of
// one form, which needs no reader of all of YAML. None is no error.
func parseYAML(lines []string) ([]*Plan, error) {
	var out []*Plan
	for i := 0; i < len(lines) && len(out) < maxPlans; i++ {
		t := strings.TrimSpace(lines[i])
		if t != "- Plan:" && t != "Plan:" && !strings.HasPrefix(t, "Query Text: ") &&
			!strings.HasPrefix(t, "- Query Text: ") {
			continue
		}
		y := &yaml{}
		column := len(lines[i]) - len(strings.TrimLeft(lines[i], " "))
		end := i
		for ; end < len(lines); end++ {
			l := lines[end]
			c := len(l) - len(strings.TrimLeft(l, " "))
			if strings.TrimSpace(l) == "" || end > i && (c < column || c == column && strings.HasPrefix(t, "- ")) {
				break
			}
			if !strings.HasPrefix(strings.TrimSpace(l), "#") {
				y.lines = append(y.lines, withoutRemark(l))
			}
		}
		v, _ := y.block(0, 0)
		o, ok := v.(map[string]any)
		if list, is := v.([]any); is && len(list) > 0 {
			o, ok = list[0].(map[string]any)
		}
		if !ok || object(o).object("Plan").text("Node Type") == "" {
			continue
		}
		p, err := planOf(o, false)
		if err != nil {
			return nil, err
		}
		p.Format = "yaml"
		if last := strings.TrimSpace(y.lines[len(y.lines)-1]); cutOff(object(o).object("Plan")) || !wholeLine(last) {
			p.Cut = last
		}
		if p.Execution == nil {
			p.Execution = durationBefore(lines[:i])
			p.Logged = p.Execution != nil
		}
		p.finish()
		out = append(out, p)
		i = end - 1
	}
	return out, nil
}

// withoutRemark takes off what a person has written behind a value.
func withoutRemark(l string) string {
	from := 0
	if i := strings.Index(l, `: "`); i >= 0 { // in a text the sign is one of its own
		from = i + len(`: "`)
		for from < len(l) && l[from] != '"' {
			if l[from] == '\\' {
				from++
			}
			from++
		}
	}
	if from < len(l) {
		if i := strings.Index(l[from:], " #"); i >= 0 {
			return strings.TrimRight(l[:from+i], " ")
		}
	}
	return l
}

// cutOff says whether the last node lacks figures that the first has.
func cutOff(root object) bool {
	last := root
	for {
		list := last.objects("Plans")
		if len(list) == 0 {
			break
		}
		last = list[len(list)-1]
	}
	for _, k := range []string{"Node Type", "Plan Width", "Actual Loops"} {
		_, whole := root[k]
		if _, ok := last[k]; whole && !ok {
			return true
		}
	}
	return false
}

// wholeLine says whether a line of YAML is not cut within its value.
func wholeLine(l string) bool {
	l = strings.TrimPrefix(l, "- ")
	if strings.HasPrefix(l, `"`) {
		return len(l) > 1 && strings.HasSuffix(l, `"`)
	}
	_, val, ok := strings.Cut(l, ":")
	val = strings.TrimSpace(val)
	switch {
	case !ok:
		return false
	case strings.HasPrefix(val, `"`):
		return len(val) > 1 && strings.HasSuffix(val, `"`)
	case val == "" || val == "true" || val == "false" || strings.HasPrefix(val, "["):
		return true
	}
	_, err := strconv.ParseFloat(val, 64)
	return err == nil
}

// durationBefore is the duration of auto_explain in the lines right before a plan.
func durationBefore(lines []string) *float64 {
	for i := len(lines) - 1; i >= max(0, len(lines)-5); i-- {
		if m := pasted.Logged.FindStringSubmatch(lines[i]); m != nil {
			if v, ok := number(m[1]); ok {
				return &v
			}
		}
	}
	return nil
}

// yaml is lines of which blocks are read.
type yaml struct {
	lines []string
	at    int
}

// block reads the mapping or the sequence that begins in the line at hand and whose lines
// stand at least that far right; nil where there is none.
func (y *yaml) block(least, depth int) (any, int) {
	if y.at >= len(y.lines) || depth > 2*maxDepth {
		return nil, 0
	}
	column := indent(y.lines[y.at])
	if column < least {
		return nil, column
	}
	if strings.HasPrefix(strings.TrimSpace(y.lines[y.at]), "- ") {
		var list []any
		for y.at < len(y.lines) && indent(y.lines[y.at]) == column {
			l := y.lines[y.at]
			if !strings.HasPrefix(l[column:], "- ") {
				break
			}
			// What stands behind the dash is a line of its own, two columns to the right.
			y.lines[y.at] = l[:column] + "  " + l[column+2:]
			at := y.at
			if v, _ := y.block(column+1, depth+1); v != nil {
				list = append(list, v)
			}
			if y.at == at {
				y.at++
			}
		}
		return list, column
	}
	o := map[string]any{}
	for y.at < len(y.lines) && indent(y.lines[y.at]) == column {
		l := strings.TrimSpace(y.lines[y.at])
		name, val, ok := strings.Cut(l, ":")
		// a bare value of a sequence
		if strings.HasPrefix(l, `"`) || strings.HasPrefix(l, "[") || !ok || val != "" && val[0] != ' ' {
			y.at++
			if len(o) == 0 {
				return scalar(l), column
			}
			continue
		}
		y.at++
		val = strings.TrimSpace(val)
		if val != "" {
			o[name] = scalar(val)
			continue
		}
		if v, _ := y.block(column+1, depth+1); v != nil {
			o[name] = v
		} else if y.at < len(y.lines) && indent(y.lines[y.at]) == column &&
			strings.HasPrefix(y.lines[y.at][column:], "- ") { // a sequence as far left as its name
			if v, _ := y.block(column, depth+1); v != nil {
				o[name] = v
			}
		}
	}
	return o, column
}

func indent(l string) int { return len(l) - len(strings.TrimLeft(l, " ")) }

// scalar reads a value: a text in quotes, a number, true or false, a list of texts, a word.
func scalar(s string) any {
	if strings.HasPrefix(s, "[") { // keys of a grouping set
		list := []any{}
		if json.Unmarshal([]byte(s), &list) == nil {
			return list
		}
		return s
	}
	if strings.HasPrefix(s, `"`) {
		var text string
		if json.Unmarshal([]byte(s), &text) == nil {
			return text
		}
		return strings.Trim(s, `"`)
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return json.Number(s)
	}
	switch s {
	case "true":
		return true
	case "false":
		return false
	}
	return s
}
