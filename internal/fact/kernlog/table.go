package kernlog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// columns are those of the rows that follow. The names changed over the years:
// nr_ptes until 4.14, with nr_pmds (and nr_puds) from 4.2, pgtables_bytes from
// 4.15, and rss by kind from 6.8.
type columns struct {
	names []string // but for pid and name
	pid   bool     // rows begin with [ pid ]
}

// column names that only the table has.
var columnNames = []string{"uid", "tgid", "total_vm", "rss", "rss_anon", "rss_file", "rss_shmem", "nr_ptes", "nr_pmds",
	"nr_puds", "pgtables_bytes", "swapents", "cpu", "oom_adj", "oom_score_adj"}

// header reads the line with the columns' names. Pastes lose "[  pid  ]".
func header(text string) (columns, bool) {
	if !strings.Contains(text, "total_vm") || !strings.Contains(text, "oom_score_adj") {
		return columns{}, false
	}
	var c columns
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return columns{}, false
		}
		c.pid, text = true, text[end+1:]
	}
	f := strings.Fields(text)
	if len(f) == 0 || f[len(f)-1] != "name" {
		return columns{}, false
	}
	c.names = f[:len(f)-1]
	others := 0
	for _, n := range c.names {
		if slices.Contains(columnNames, n) {
			continue
		}
		if others++; others > maxOthers || !reColumn.MatchString(n) {
			return columns{}, false
		}
	}
	return c, len(c.names)-others >= 6
}

// maxOthers is how many columns a table may have that no kernel known has: those of a patch.
const maxOthers = 3

// reColumn is what the name of a column may be: «(01)nrss».
var reColumn = regex.New(`^(?:\(\d{1,5}\))?[a-z][a-z0-9_]{1,31}$`)

// guess reads a row without a header: the number of its columns tells which
// table it is from, but for nr_ptes and pgtables_bytes, which sumUp tells apart.
func guess(text string) (columns, bool) {
	end := strings.IndexByte(text, ']')
	if !strings.HasPrefix(text, "[") || end < 0 {
		return columns{}, false
	}
	if _, err := strconv.Atoi(strings.TrimSpace(text[1:end])); err != nil {
		return columns{}, false
	}
	n := 0
	for _, f := range strings.Fields(text[end+1:]) {
		if _, err := strconv.ParseInt(f, 10, 64); err != nil {
			break
		}
		n++
	}
	c := columns{pid: true}
	switch n {
	case 7:
		c.names = []string{"uid", "tgid", "total_vm", "rss", "ptes_or_bytes", "swapents", "oom_score_adj"}
	case 8:
		c.names = []string{"uid", "tgid", "total_vm", "rss", "nr_ptes", "nr_pmds", "swapents", "oom_score_adj"}
	case 10:
		c.names = []string{"uid", "tgid", "total_vm", "rss", "rss_anon", "rss_file", "rss_shmem", "pgtables_bytes",
			"swapents", "oom_score_adj"}
	default:
		return c, false
	}
	return c, true
}

// row reads a task. Every number has to be one: a row that was mixed with
// another line is left out.
func (c columns) row(text string) (Task, bool) {
	t := Task{}
	if strings.HasPrefix(text, "[") {
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return t, false
		}
		pid, err := strconv.Atoi(strings.TrimSpace(text[1:end]))
		if err != nil || pid < 0 {
			return t, false
		}
		t.PID, text = pid, text[end+1:]
	} else if c.pid {
		return t, false
	}
	for _, name := range c.names {
		text = strings.TrimLeft(text, " \t")
		end := strings.IndexAny(text, " \t")
		if end < 0 {
			return t, false
		}
		n, err := strconv.ParseInt(text[:end], 10, 64)
		if err != nil || n < 0 && name != "oom_score_adj" && name != "oom_adj" || n > 1<<46 {
			return t, false
		}
		text = text[end:]
		switch name {
		case "uid":
			t.UID = int(n)
		case "tgid":
			t.TGID = int(n)
		case "total_vm":
			t.VM = n
		case "rss":
			t.RSS = n
		case "rss_anon":
			t.Anon = n
		case "rss_file":
			t.File = n
		case "rss_shmem":
			t.Shm = n
		case "nr_ptes", "ptes_or_bytes":
			t.ptes = n
		case "nr_pmds":
			t.pmds = n
		case "nr_puds":
			t.puds = n
		case "pgtables_bytes":
			t.PageTables = unit.Bytes(n)
		case "swapents":
			t.Swap = n
		case "oom_score_adj":
			if n < -1000 || n > 1000 {
				return t, false
			}
			t.Adj = int(n)
		}
	}
	if t.Name = unmarked(strings.TrimSpace(text)); t.Name == "" || len(t.Name) > 64 {
		return t, false
	}
	if !c.pid && t.PID == 0 {
		t.PID = t.TGID
	}
	return t, t.TGID > 0
}

// reMarked is what a person has put behind a row to point at it: an arrow.
var reMarked = regex.New(`\s+(?:<[-=~<][-=~<\s]*|←|⇐|⬅).*$`)

// unmarked takes off what a person has put behind the name of a task. The kernel's names have 15 bytes at most; what
// stands behind two blanks or a mark of a comment in a longer one is none of it.
func unmarked(name string) string {
	if at := reMarked.FindStringIndex(name); at != nil {
		name = name[:at[0]]
	}
	const most = 15
	for _, mark := range []string{"  ", "\t", " //", " # "} {
		if i := strings.Index(name, mark); i > 0 && len(name) > most {
			name = strings.TrimSpace(name[:i])
		}
	}
	return name
}

// tableSize is the size of a table of the lower levels where it is counted and
// not told in bytes: one page.
func (r *Report) tableSize() unit.Bytes {
	if r.PageSize > 0 {
		return r.PageSize
	}
	return 4 * unit.KB
}

// sumUp works out what only the whole table tells.
func (t *Table) sumUp(c columns, page unit.Bytes) {
	if len(t.Tasks) == 0 {
		return
	}
	t.PIDs = c.pid
	t.Split = slices.Contains(c.names, "rss_anon")
	t.PageTables = slices.Contains(c.names, "pgtables_bytes") || slices.Contains(c.names, "nr_ptes") ||
		slices.Contains(c.names, "ptes_or_bytes")
	// Bytes come in whole pages; a count that is a multiple of 4096 for every task
	// does not occur.
	bytes := slices.Contains(c.names, "ptes_or_bytes")
	// A table of eight columns without its header may be one of a patch, with bytes where others have nr_pmds.
	shifted := slices.Contains(c.names, "nr_pmds") && len(c.names) == 8
	for i := range t.Tasks {
		bytes = bytes && t.Tasks[i].ptes%4096 == 0
		shifted = shifted && t.Tasks[i].pmds%4096 == 0 && t.Tasks[i].pmds > 0
	}
	for i := range t.Tasks {
		k := &t.Tasks[i]
		switch {
		case shifted:
			k.PageTables = unit.Bytes(k.pmds)
		case bytes:
			k.PageTables = unit.Bytes(k.ptes)
		case k.ptes+k.pmds+k.puds > 0 && k.ptes < 1<<32:
			k.PageTables = unit.Bytes(k.ptes+k.pmds+k.puds) * page
		}
	}
}
