package reasons

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
)

// elsewhere are the texts that need no template, each with why.
var elsewhere = map[string]string{
	Hole:                                    "the words of an error, of a program or of another document",
	"cpus=N":                                "add {word} has it",
	"disk=SIZE":                             "add {word} has it",
	"storage=nvme, ssd, hdd or san":         "add {word} has it",
	"--days":                                "an option",
	"--deep":                                "an option",
	"only root may run ":                    "the program is never empty",
	"data":                                  "the role of a place",
	"wal":                                   "the role of a place",
	Hole + ": " + Hole:                      "an error within an error: each is recognized alone",
	"systemctl: " + Hole:                    "what systemctl printed",
	"query file " + Hole + ": no statement": "of the program's own files, which tests read",
	"query file " + Hole + ": the name does not end in a major version": "of the program's own files, which tests read",
	"query file " + Hole + ": the name is not NAME_FROM.sql":            "of the program's own files, which tests read",
}

// TestEveryReasonHasATemplate verifies that whatever the source may put into a gap is recognized when it is shown.
func TestEveryReasonHasATemplate(t *testing.T) {
	list, err := All("../../..", "./internal/...")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 200 {
		t.Fatalf("only %d texts were found", len(list))
	}
	used := map[string]bool{}
	for _, f := range list {
		if _, ok := elsewhere[f.Text]; ok {
			used[f.Text] = true
			continue
		}
		if !hasTemplate(f.Text) {
			t.Errorf("%s: %q has no template in internal/fact/gapwords, so nobody reads it in his language",
				f.At, strings.ReplaceAll(f.Text, Hole, "…"))
		}
	}
	for text := range elsewhere {
		if !used[text] {
			t.Errorf("the source has no %q any more: take it out of the list", text)
		}
	}
}

// hasTemplate reports whether a text is recognized with a name, or with a number, in its holes.
func hasTemplate(text string) bool {
	for _, fill := range []string{"xyzzy", "17", "5s"} {
		if gapwords.Has(strings.ReplaceAll(text, Hole, fill)) {
			return true
		}
	}
	// Names and numbers in one text.
	n := strings.Count(text, Hole)
	for mask := range 1 << min(n, 6) {
		s := text
		for i := range n {
			fill := "xyzzy"
			if mask>>i&1 == 1 {
				fill = "17"
			}
			s = strings.Replace(s, Hole, fill, 1)
		}
		if gapwords.Has(s) {
			return true
		}
	}
	return false
}

// TestReasonsAreFound reads a package with every way in which a reason gets into a gap.
func TestReasonsAreFound(t *testing.T) {
	list, err := All(".", "./testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, strings.ReplaceAll(f.Text, Hole, "…"))
	}
	want := []string{"a constant", "a field", "a literal", "an argument", "an assignment", "formatted … twice",
		"nested: in a call", "of a closure", "of a message …", "one way", "another way", "shown", "with …"}
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
