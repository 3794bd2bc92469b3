package outline

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TestCommandsStandApart: the commands of a remedy are separate pieces, each once, the longer first, with the same text
// around them; and a place is named once.
func TestCommandsStandApart(t *testing.T) {
	f := check.Finding{ID: "x", Title: "t", Seen: say.Text("s"), Why: "w",
		Do: say.Text("1. Run: sysctl -w vm.swappiness=1\n2. Then sysctl -w vm.swappiness=10, or " +
			"ALTER SYSTEM SET a = 1 and reload."),
		Commands: []check.Command{check.Shell("sysctl -w vm.swappiness=1"), check.Shell("sysctl -w vm.swappiness=10"),
			check.SQL("ALTER SYSTEM SET a = 1;")}}
	var do Field
	for _, field := range (Words{}).details([]check.Finding{f, f}) {
		switch field.Name {
		case "do":
			do = field
		case "where":
			if got := field.Items[0].Text.String(); got != "the host" {
				t.Errorf("where: %q", got)
			}
		}
	}
	want := []Prose{
		{{Text: "1. Run: "}, {Text: "sysctl -w vm.swappiness=1", As: AsCommand}},
		{{Text: "2. Then "}, {Text: "sysctl -w vm.swappiness=10", As: AsCommand}, {Text: ", or "},
			{Text: "ALTER SYSTEM SET a = 1", As: AsCommand}, {Text: " and reload."}}}
	var got []Prose
	for _, it := range do.Items {
		got = append(got, it.Text)
		for _, b := range it.More {
			got = append(got, b.(Para).Text)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
