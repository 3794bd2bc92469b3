package readers

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf16"
)

// wrapping is something that a text is pasted in.
type wrapping struct {
	name  string
	lines bool // a line of the text has the number that it had
	// not are the kinds that it makes another text of: a setting behind a # is not in force
	not   string
	timed bool // it has a time of its own, which may be taken for that of a line
	wrap  func(kind string, lines []string) string
}

// each puts something before and behind each line; %d counts the lines.
func each(before, behind string) func(string, []string) string {
	return func(_ string, lines []string) string {
		var b strings.Builder
		for i, l := range lines {
			b.WriteString(counted(before, i) + l + counted(behind, i) + "\n")
		}
		return b.String()
	}
}

// counted replaces %d, %6d and %02d by the number of a line, and of it.
func counted(s string, i int) string {
	s = strings.Replace(s, "%6d", fmt.Sprintf("%6d", i+1), 1)
	s = strings.Replace(s, "%02d", fmt.Sprintf("%02d", i%60), 1)
	return strings.Replace(s, "%d", fmt.Sprint(i+1), 1)
}

// around puts something before and behind the text.
func around(before, behind string) func(string, []string) string {
	return func(_ string, lines []string) string { return before + strings.Join(lines, "\n") + "\n" + behind }
}

// made applies a function to each line.
func made(f func(string) string) func(string, []string) string {
	return func(_ string, lines []string) string {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(f(l) + "\n")
		}
		return b.String()
	}
}

// both is one thing in another.
func both(inner, outer string) wrapping {
	in, out := layerNamed(inner), layerNamed(outer)
	return wrapping{name: inner + ", in " + outer, lines: in.lines && out.lines, not: in.not + out.not,
		timed: in.timed || out.timed,
		wrap: func(kind string, lines []string) string {
			return out.wrap(kind, strings.Split(strings.TrimSuffix(in.wrap(kind, lines), "\n"), "\n"))
		}}
}

func layerNamed(name string) wrapping {
	for _, w := range wrappings {
		if w.name == name {
			return w
		}
	}
	panic(name)
}

func quotedJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// drawn is a table of one column.
func drawn(rule, corner string) func(string, []string) string {
	return func(_ string, lines []string) string {
		width := 6
		for _, l := range lines {
			width = max(width, len([]rune(l)))
		}
		edge := corner + strings.Repeat(rule, width+2) + corner + "\n"
		var b strings.Builder
		b.WriteString(edge + "| " + fmt.Sprintf("%-*s", width, "output") + " |\n" + edge)
		for _, l := range lines {
			b.WriteString("| " + l + strings.Repeat(" ", width-len([]rune(l))) + " |\n")
		}
		return b.String() + edge
	}
}

// folded breaks lines at a width, at a blank where words is set, and puts something before each.
func folded(width int, words bool, before string) func(string, []string) string {
	return func(_ string, lines []string) string {
		var b strings.Builder
		for _, l := range lines {
			r := []rune(l)
			for len(r) > width {
				at := width
				for words && at > 0 && r[at] != ' ' {
					at--
				}
				if at == 0 || strings.TrimSpace(string(r[:at])) == "" {
					at = width
					for at < len(r) && words && r[at] != ' ' {
						at++
					}
				}
				b.WriteString(before + string(r[:at]) + "\n")
				if r = r[at:]; words && len(r) > 0 && r[0] == ' ' {
					r = r[1:]
				}
			}
			b.WriteString(before + string(r) + "\n")
		}
		return b.String()
	}
}

func utf16le(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func quotedPrintable(l string) string {
	var b strings.Builder
	for i := 0; i < len(l); i++ {
		if c := l[i]; c == '=' || c >= 0x80 {
			fmt.Fprintf(&b, "=%02X", c)
		} else {
			b.WriteByte(c)
		}
		if n := b.Len() - strings.LastIndexByte(b.String(), '\n') - 1; n > 72 {
			b.WriteString("=\n")
		}
	}
	return b.String()
}

var blanks = regexp.MustCompile(`(\S) {2,}`)

var syslogIdents = map[string]string{"serverlog": "postgres[811]", "oom": "kernel"}

var wrappings = []wrapping{
	{name: "nothing", lines: true, wrap: each("", "")},
	{name: "quoted mail", lines: true, wrap: each("> ", "")},
	{name: "mail quoted twice", lines: true, wrap: each(">> ", "")},
	{name: "mail with words around", wrap: func(_ string, lines []string) string {
		return "Hi,\n\nOn Tue, 3 Nov 2026 at 14:02, Ines wrote:\n> We see this since Monday:\n>\n" +
			each("> ", "")("", lines) + ">\n> Any idea?\n\nNo, sorry.\n--\nJo\n"
	}},
	{name: "fence", wrap: around("```\n", "```\n")},
	{name: "fence with words around", wrap: around("Hello,\n\nhere it is:\n\n```text\n", "```\n\nThanks!\n")},
	{name: "fence in a list", wrap: func(_ string, lines []string) string {
		return "1. Here it is:\n\n    ```\n" + each("    ", "")("", lines) + "    ```\n"
	}},
	{name: "{noformat}", wrap: around("{noformat}\n", "{noformat}\n")},
	{name: "[code]", wrap: around("[code]\n", "[/code]\n")},
	{name: "indented", lines: true, wrap: each("    ", "")},
	{name: "indented by a tab", lines: true, wrap: each("\t", "")},
	{name: "list", lines: true, wrap: each("- `", "`")},
	{name: "Markdown table", wrap: func(_ string, lines []string) string {
		return "| output |\n|---|\n" + each("| ", " |")("", lines)
	}},
	{name: "drawn table", wrap: drawn("-", "+")},
	{name: "diff, all new", wrap: func(_ string, lines []string) string {
		return fmt.Sprintf("diff --git a/out.txt b/out.txt\nnew file mode 100644\n--- /dev/null\n+++ b/out.txt\n"+
			"@@ -0,0 +1,%d @@\n", len(lines)) + each("+", "")("", lines)
	}},
	{name: "diff, nothing changed", wrap: func(_ string, lines []string) string {
		return fmt.Sprintf("--- a/out.txt\n+++ b/out.txt\n@@ -1,%d +1,%d @@\n", len(lines), len(lines)+1) +
			each(" ", "")("", lines) + "+\n"
	}},
	{name: "JSON of docker", timed: true, lines: true, wrap: made(func(l string) string {
		return `{"log":` + quotedJSON(l+"\n") + `,"stream":"stdout","time":"2026-11-25T12:00:01.123456789Z"}`
	})},
	{name: "JSON with msg", timed: true, lines: true, wrap: made(func(l string) string {
		return `{"level":"info","ts":"2026-11-25T12:00:01.123Z","msg":` + quotedJSON(l) + `}`
	})},
	{name: "list of strings in JSON", wrap: func(_ string, lines []string) string {
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = "  " + quotedJSON(l)
		}
		return "[\n" + strings.Join(out, ",\n") + "\n]\n"
	}},
	{name: "one string with \\n", wrap: func(_ string, lines []string) string {
		return quotedJSON(strings.Join(lines, "\n")+"\n") + "\n"
	}},
	{name: "JSON with one text", wrap: func(_ string, lines []string) string {
		return `{"host":"db1","rc":0,"stdout":` + quotedJSON(strings.Join(lines, "\n")+"\n") + "}\n"
	}},
	{name: "CRI", timed: true, lines: true, wrap: each("2026-11-25T12:00:%02d.123456789Z stdout F ", "")},
	{name: "kubectl --timestamps", timed: true, lines: true, wrap: each("2026-11-25T12:00:%02d.123456789Z ", "")},
	{name: "kubectl --prefix", lines: true, wrap: each("[pod/pg-0/postgres] ", "")},
	{name: "docker compose", lines: true, wrap: each("db-1  | ", "")},
	{name: "ts", timed: true, lines: true, wrap: each("Nov 25 12:00:%02d ", "")},
	{name: "syslog", timed: true, lines: true, wrap: func(kind string, lines []string) string {
		ident := syslogIdents[kind]
		if ident == "" {
			ident = "report.sh[811]"
		}
		return each("Nov 25 12:00:%02d db1 "+ident+": ", "")(kind, lines)
	}},
	{name: "syslog, RFC 3339", timed: true, lines: true, wrap: func(kind string, lines []string) string {
		ident := syslogIdents[kind]
		if ident == "" {
			ident = "report.sh[811]"
		}
		return each("2026-11-25T12:00:%02d.123456+00:00 db1 "+ident+": ", "")(kind, lines)
	}},
	{name: "GitHub Actions", timed: true, wrap: func(_ string, lines []string) string {
		const at = "2026-11-25T12:00:01.1234567Z "
		return at + "##[group]Run ./report.sh\n" + at + "./report.sh\n" + at + "##[endgroup]\n" +
			each(at, "")("", lines)
	}},
	{name: "GitLab CI", timed: true, lines: true, wrap: each("2026-11-25T12:00:%02d.123456Z 01O ", "")},
	{name: "ansible", wrap: around("db1 | CHANGED | rc=0 >>\n", "")},
	{name: "stdout_lines", wrap: func(_ string, lines []string) string {
		out := make([]string, len(lines))
		for i, l := range lines {
			out[i] = "        " + quotedJSON(l)
		}
		return "ok: [db1] => {\n    \"out.stdout_lines\": [\n" + strings.Join(out, ",\n") + "\n    ]\n}\n"
	}},
	{name: "pssh, clush", lines: true, wrap: each("db1: ", "")},
	{name: "cat -n", lines: true, wrap: each("%6d\t", "")},
	{name: "less -N", lines: true, wrap: each(" %6d ", "")},
	{name: "grep -n", lines: true, wrap: each("%d:", "")},
	{name: "grep with a file", lines: true, wrap: each("/tmp/report.log:", "")},
	{name: "grep -n with a file", lines: true, wrap: each("/tmp/report.log:%d:", "")},
	{name: "HTML, pre", lines: true, wrap: func(_ string, lines []string) string {
		return "<pre>" + html.EscapeString(strings.Join(lines, "\n")) + "</pre>\n"
	}},
	{name: "HTML, br", wrap: func(_ string, lines []string) string {
		text := html.EscapeString(strings.Join(lines, "<BR>"))
		text = strings.ReplaceAll(text, "  ", "&nbsp; ")
		return "<p>" + strings.ReplaceAll(text, "&lt;BR&gt;", "<br>\n") + "</p>\n"
	}},
	{name: "entities", lines: true, wrap: made(html.EscapeString)},
	{name: "NBSP", lines: true, wrap: made(func(l string) string {
		return strings.ReplaceAll(l, "  ", "\u00a0 ")
	})},
	{name: "typographic quotes", lines: true, wrap: made(func(l string) string {
		parts := strings.Split(l, `"`)
		for i := range parts {
			if i > 0 {
				parts[i] = []string{"”", "“"}[i%2] + parts[i]
			}
		}
		return strings.Join(parts, "")
	})},
	{name: "colors", lines: true, wrap: each("\x1b[32m", "\x1b[0m")},
	{name: "CR LF", lines: true, wrap: each("", "\r")},
	{name: "CR alone", wrap: func(_ string, lines []string) string { return strings.Join(lines, "\r") + "\r" }},
	{name: "recording of a terminal", wrap: func(_ string, lines []string) string {
		return "Script started on 2026-11-25 12:00:01+00:00 [TERM=\"xterm-256color\"]\r\n" +
			"\x1b[?2004h\x1b]0;root@db1: ~\x07\x1b[01;32mroot@db1\x1b[00m:\x1b[01;34m~\x1b[00m# ./report.sh\r\n" +
			"\x1b[?2004l\r" + each("", "\r")("", lines) +
			"\x1b[?2004h\x1b]0;root@db1: ~\x07\x1b[01;32mroot@db1\x1b[00m:\x1b[01;34m~\x1b[00m# exit\r\n"
	}},
	{name: "mail folded at 76", wrap: folded(76, true, "")},
	{name: "terminal of 80 columns", wrap: folded(80, false, "")},
	{name: "one space for many", lines: true, wrap: made(func(l string) string {
		return blanks.ReplaceAllString(l, "$1 ")
	})},
	{name: "UTF-16", lines: true, wrap: func(_ string, lines []string) string {
		return utf16le(strings.Join(lines, "\r\n") + "\r\n")
	}},
	{name: "byte order mark", lines: true, not: "conf", wrap: around("\ufeff", "")},
	{name: "left out around", wrap: around("[...]\n", "[...]\n")},
	{name: "text in YAML", wrap: func(_ string, lines []string) string {
		return "data:\n  report.txt: |\n" + each("    ", "")("", lines)
	}},
	{name: "list of strings in YAML", wrap: func(_ string, lines []string) string {
		return "stdout_lines:\n" + made(func(l string) string { return "  - " + quotedJSON(l) })("", lines)
	}},
	{name: "comment", lines: true, not: "conf paste", wrap: each("# ", "")},
	{name: "quoted-printable", wrap: func(kind string, lines []string) string {
		return "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n" +
			made(quotedPrintable)(kind, lines)
	}},
	{name: "chat", timed: true, lines: true, wrap: each("[12:01] anna: ", "")},
	{name: "CSV", lines: true, wrap: made(func(l string) string {
		return `"` + strings.ReplaceAll(l, `"`, `""`) + `"`
	})},
}

// pairs are layers in layers.
var pairs = func() []wrapping {
	var out []wrapping
	for _, p := range [][2]string{
		{"fence", "quoted mail"}, {"JSON of docker", "quoted mail"}, {"quoted mail", "CR LF"},
		{"diff, all new", "fence"}, {"entities", "quoted mail"}, {"ts", "colors"}, {"docker compose", "CR LF"},
		{"JSON with msg", "kubectl --timestamps"}, {"JSON with msg", "kubectl --prefix"}, {"cat -n", "quoted mail"},
		{"kubectl --timestamps", "docker compose"}, {"indented", "HTML, pre"}, {"quoted mail", "fence"},
		{"list of strings in JSON", "indented"}, {"drawn table", "quoted mail"},
	} {
		out = append(out, both(p[0], p[1]))
	}
	return out
}()
