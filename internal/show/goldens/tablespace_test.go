package goldens

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
)

// TestTablespacesInForms: each form has the options of tablespaces as SQL where it is SQL
// or runs some, and else in comments alone, whatever their names are.
func TestTablespacesInForms(t *testing.T) {
	const set = `ALTER TABLESPACE "Old ""D'ata" SET (random_page_cost = '4');`
	of := func(name, from string) plan.Change {
		return plan.Change{Address: knob.Tablespace(name, "random_page_cost"), Layer: knob.Instance, Key: "1",
			Instance: "/d", From: from, FromBase: from, To: "4", ToBase: "4", Effect: knob.Now,
			Reason: say.Text("a reason\nof two lines")}
	}
	spaces := []plan.Change{of(`Old "D'ata`, "1.1"), of("a\n; DROP TABLE x;\n\u202e", knob.Unset)}
	setting := plan.Change{Address: "pg:work_mem", Layer: knob.Instance, Key: "1", Instance: "/d", From: "4MB",
		FromBase: "4096", To: "16MB", ToBase: "16384", Effect: knob.Reload}
	s := &snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1", DataDirectory: known.Is("/d")}}}
	forms := map[string]func(io.Writer, document.Plan) error{
		"conf":         func(w io.Writer, d document.Plan) error { return export.Conf(w, d, s, "1") },
		"alter-system": func(w io.Writer, d document.Plan) error { return export.AlterSystem(w, d, s, "1") },
		"patroni":      func(w io.Writer, d document.Plan) error { return export.Patroni(w, d, s, "1") },
		"cnpg":         func(w io.Writer, d document.Plan) error { return export.CNPG(w, d, s, "1") },
		"docker":       func(w io.Writer, d document.Plan) error { return export.Docker(w, d, s, "1") },
		"sysctl":       func(w io.Writer, d document.Plan) error { return export.Sysctl(w, d, s) },
		"script":       func(w io.Writer, d document.Plan) error { return export.Script(w, d, s) },
		"ansible":      func(w io.Writer, d document.Plan) error { return export.Ansible(w, d, s) },
		"files": func(w io.Writer, d document.Plan) error {
			list, err := export.Files(d, s)
			for _, f := range list {
				if f.Name == "README" {
					_, _ = w.Write(f.Body)
				}
			}
			return err
		},
	}
	for name, form := range forms {
		for _, alone := range []bool{false, true} {
			changes := append([]plan.Change{setting}, spaces...)
			if alone {
				changes = spaces
			}
			var b bytes.Buffer
			if err := form(&b, document.Plan{Plan: &plan.Plan{Changes: changes}}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			text := b.String()
			if strings.Contains(text, "\u202e") || strings.Contains(text, "\n; DROP") {
				t.Errorf("%s has a name raw:\n%s", name, text)
			}
			runs, told := false, false
			for l := range strings.Lines(text) {
				if !strings.Contains(l, "ALTER TABLESPACE") {
					continue
				}
				l = strings.TrimSpace(l)
				comment := strings.HasPrefix(l, "#") || strings.HasPrefix(l, "--") || strings.HasPrefix(l, "/d: ")
				runs, told = runs || !comment, told || comment
			}
			want := name == "alter-system" || !alone && (name == "script" || name == "ansible")
			if runs != want || !told {
				t.Errorf("%s, tablespaces alone %t: it runs the statement: %t, tells it: %t\n%s", name, alone, runs,
					told, text)
			}
			if name == "alter-system" && !strings.Contains(text, "\n"+set+"\n") ||
				name == "conf" && !strings.Contains(text, "#   "+set+"\n") {
				t.Errorf("%s:\n%s", name, text)
			}
			if name == "script" {
				shellReads(t, text)
			}
		}
	}
}
