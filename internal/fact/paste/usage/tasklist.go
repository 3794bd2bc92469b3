package usage

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// tasklist of Windows: name, process, name and number of the session, memory in kB. Thousands are grouped as the
// language of the system does.
var (
	reTask = regex.New(`^"?([\w.+-][\w.+ -]{0,63}\.exe)"?[\s,]+"?(\d{1,7})"?[\s,]+"?` +
		`(?:\p{L}[\p{L}#\d-]{1,30}"?[\s,]+"?)?(?:\d{1,3}"?[\s,]+"?)?` +
		`(\d{1,3}(?:[.,’ \x{a0}\x{202f}]?\d{3}){0,3}) ?(?:K|Ko|КБ|KB)"?$`)
	// of a name without that ending: System, Registry, a service
	reTaskOther = regex.New(`^"?\pL[\w.+ -]{0,63}?"?[\s,]+"?\d{1,7}"?[\s,]+"?\p{L}[\p{L}#\d-]{1,30}"?` +
		`[\s,]+"?\d{1,3}"?[\s,]+"?\d{1,3}(?:[.,’ \x{a0}\x{202f}]?\d{3}){0,3} ?(?:K|Ko|КБ|KB)"?$`)
	reTaskHead = regex.New(`^"?(?:Image Name|Abbildname|Nom de l'image|Имя образа|Nombre de imagen|Nome immagine|` +
		`映像名称|イメージ名)"?[\s,]`)
)

// ReadTasks reads tasklist.
func ReadTasks(w *part.Window) (f part.Found) {
	servers := int64(0)
	for i := range w.Lines {
		t := w.Text(i)
		if w.Lines[i].Is == part.Blank || w.Lines[i].Is == part.Rule || i == 0 && reTaskHead.MatchString(t) {
			continue
		}
		m := reTask.FindStringSubmatch(t)
		if m == nil && f.N > 0 && reTaskOther.MatchString(t) {
			continue
		}
		if m == nil {
			break
		}
		f.N = i + 1
		if m[1] != "postgres.exe" {
			continue
		}
		servers++
		digits := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, m[3])
		if n, ok := amount.Kilobytes(digits); ok {
			f.Add(part.Bytes("process.resident", m[2], n), part.Word("process.command", m[2], m[1]))
		}
	}
	if servers > 0 {
		f.Add(part.Count("processes.postgres", "", servers))
	}
	return f
}
