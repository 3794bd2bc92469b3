package goldens

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

// TestTablespaceCommands holds the report on tablespaces, and a creation and a move before they are made. The name of a
// form begins with the document: plan, create, move.
func TestTablespaceCommands(t *testing.T) {
	goldens(t, "tablespaces", func(t *testing.T, given, _ []byte, name string) string {
		kind, form, _ := strings.Cut(name, "-")
		var o outline.Outline
		switch kind {
		case "plan":
			var d tablespaces.Report
			decode(t, given, &d)
			if form == "json" {
				var b bytes.Buffer
				if err := json.Tablespaces(&b, &d); err != nil {
					t.Fatal(err)
				}
				valid(t, "tablespace", b.Bytes())
				return b.String()
			}
			o = reports.Tablespaces(&d, nil)
		case "create":
			var c tablespaces.Creation
			decode(t, given, &c)
			o = reports.CreateTablespace(&c, nil)
		default:
			var m tablespaces.Move
			decode(t, given, &m)
			o = reports.MoveInto(&m, nil)
		}
		everyForm(t, name, o)
		var b bytes.Buffer
		if err := term.Write(&b, o, style(t, form)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	})
}
