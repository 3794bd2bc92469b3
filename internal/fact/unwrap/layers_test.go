package unwrap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// report is a text of a reader that knows lines with a number of blocks.
var report = []string{"blocks: 12 of 30", "  inner:   blocks: 7", "  a note without anything", "blocks: 31",
	`a "quoted" word & <blocks: 4>`, "", "blocks: 5"}

// blocks is that reader.
var blocks = &Reader{
	Sign:  func(l []byte) bool { return strings.Contains(string(l), "blocks: ") },
	Begin: func(l string) int { return strings.Index(l, "blocks: ") },
}

func asJSON(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLayers holds that each layer is found and taken off, and that a line has the number that it had.
func TestLayers(t *testing.T) {
	each := func(f func(i int, l string) string) string {
		var b strings.Builder
		for i, l := range report {
			b.WriteString(f(i, l) + "\n")
		}
		return b.String()
	}
	form := func(s string) string { return each(func(_ int, l string) string { return fmt.Sprintf(s, l) }) }
	for layer, text := range map[Layer]string{
		Quoted: form("> %s"), Colors: form("\x1b[32m%s\x1b[0m"), Compose: form("db-1  | %s"),
		Pod: form("[pod/a/b] %s"), Timestamps: form("2026-03-04T05:06:07.8Z stdout F %s"), Host: form("db1: %s"),
		Numbers: each(func(i int, l string) string { return fmt.Sprintf("%6d\t%s", i+1, l) }),
		Grep:    each(func(i int, l string) string { return fmt.Sprintf("a/b.log:%d:%s", i+1, l) }),
		Syslog:  form("Mar  4 05:06:07 db1 x.sh[12]: %s"), Indent: form("    %s"), Box: form("| %s |"),
		Comment: form("# %s"), Chat: form("[12:01] anna: %s"), Bullet: form("- `%s`"),
		Job:     form("[12:47:10] :\t [Step 3/7] %s"),
		Objects: each(func(_ int, l string) string { return `{"log":` + asJSON(t, l+"\n") + `,"stream":"a"}` }),
		Strings: each(func(_ int, l string) string { return "  - " + asJSON(t, l) }),
		Ticks: each(func(_ int, l string) string { // the blanks stand before the code
			if l == "" {
				return l
			}
			bare := strings.TrimLeft(l, " ")
			return l[:len(l)-len(bare)] + "`" + bare + "` \\"
		}),
	} {
		t.Run(string(layer), func(t *testing.T) {
			got := blocks.Text([]byte(text))
			if !slices.Equal(got.Layers, []Layer{layer}) {
				t.Errorf("%v were taken off", got.Layers)
			}
			for i, want := range report {
				if i >= len(got.Lines) || strings.TrimRight(got.Lines[i].Text, " ") != want ||
					got.Lines[i].Number != i+1 {
					t.Fatalf("line %d: want %q in\n%s", i+1, want, got.String())
				}
			}
		})
	}
}

// TestNested holds that layers come off one after the other, whatever is in what.
func TestNested(t *testing.T) {
	text := strings.Join(report, "\n") + "\n"
	in := func(before string) {
		var b strings.Builder
		for l := range strings.Lines(text) {
			b.WriteString(before + l)
		}
		text = b.String()
	}
	in("db1: ")
	in("2026-03-04T05:06:07.8Z ")
	text = "```\n" + text + "```\n"
	in("> ")
	text = strings.ReplaceAll(text, "\n", "\r\n")
	got := blocks.Text([]byte(text))
	if want := "\n" + strings.Join(report, "\n") + "\n\n"; got.String() != want {
		t.Errorf("%v left\n%s", got.Layers, got.String())
	}
}

// TestUntouched holds that a text without anything around it, or with something that one line has, stays as it is.
func TestUntouched(t *testing.T) {
	for _, text := range []string{
		"blocks: 1\nblocks: 2\n- blocks: 3\n",
		"db1: blocks: 1\ndb2: x\nblocks: 2\n",
		"list:\n  - blocks: 1\n  - blocks: 2\n",
		"1 blocks: 1\n7 blocks: 2\n3 blocks: 2\n4 blocks: 2\n9 blocks: 2\n",
		`{"blocks: 1": 2, "x": ["blocks: 3", "y"]}` + "\n",
		"-blocks: 1\n+blocks: 2\n",
		"a & b &amp; <c> blocks: 1\n",
	} {
		if got := blocks.Text([]byte(text)); got.String() != text {
			t.Errorf("%q: %v left %q", text, got.Layers, got.String())
		}
	}
	own := &Reader{Sign: blocks.Sign, Own: []Layer{Timestamps}}
	const text = "2026-03-04T05:06:07Z blocks: 1\n2026-03-04T05:06:08Z blocks: 1\n"
	if got := own.Text([]byte(text)); got.String() != text {
		t.Errorf("a layer of the reader's own was taken off: %q", got.String())
	}
}

// TestDiffs holds what is left of a diff: the new side, or both one after the other.
func TestDiffs(t *testing.T) {
	const text = "@@ -1,3 +1,3 @@\n blocks: 1\n-blocks: 2\n+blocks: 3\nthat was it\n"
	if got, want := blocks.Text([]byte(text)), "blocks: 1\nblocks: 3\nthat was it\n"; got.String() != want {
		t.Errorf("%q", got.String())
	}
	both := *blocks
	both.Both = true
	got := both.Text([]byte(text))
	if want := "blocks: 1\nblocks: 2\n\nblocks: 1\nblocks: 3\nthat was it\n"; got.String() != want {
		t.Errorf("both sides: %q", got.String())
	}
	if got.Lines[4].Number != 4 {
		t.Errorf("the new line is said to be line %d", got.Lines[4].Number)
	}
}

// FuzzText holds that no text becomes many times as long, nor loses the order of its lines' numbers but in a diff.
func FuzzText(f *testing.F) {
	for _, s := range []string{"> %s\n", "| %s |\n", "{\"log\":%q}\n", "+%s\n", "  - %q\n", "<p>%s<br>\n", "db1: %s\n",
		"%q", "```%s```\n", "=3D=3D=\n%s\n"} {
		f.Add(fmt.Appendf(nil, strings.Repeat(s, 4), "blocks: 1", `\nblocks: 2\n\u00e9`, "blocks: 3", "x"))
	}
	f.Add([]byte("\xff\xfeb\x00l\x00o\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := blocks.Text(b)
		if n := len(got.String()); n > 16*len(b)+1<<20 {
			t.Errorf("%d bytes became %d", len(b), n)
		}
		last := 0
		for _, l := range got.Lines {
			if l.Number < last && !slices.Contains(got.Layers, Diff) {
				t.Fatalf("line %d behind line %d", l.Number, last)
			}
			last = l.Number
		}
	})
}

// TestColumnsOfAJob: gh run view --log puts the job and its step before the time, and the mark of the byte order before
// the first time of a step.
func TestColumnsOfAJob(t *testing.T) {
	var b strings.Builder
	for i, l := range report {
		mark := ""
		if i == 0 {
			mark = "\ufeff"
		}
		b.WriteString("end to end\tStop the containers\t" + mark + "2026-11-20T09:00:16.8541133Z " + l + "\n")
	}
	got := blocks.Text([]byte(b.String()))
	if !slices.Equal(got.Layers, []Layer{Blanks, Job, Timestamps}) || got.String() != strings.Join(report, "\n")+"\n" {
		t.Errorf("%v left\n%s", got.Layers, got.String())
	}
}
