package servers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	pgconf "github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

func dial(t *testing.T, i *scratch.Instance) *pgconn.PgConn {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), i.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// TestFilesReadAsTheServerReads: over files of includes and over random lines the
// reader finds the settings, values, files and lines that pg_file_settings has,
// and a fault where the server has one. (The view gives a file up at its first
// syntax error.)
func TestFilesReadAsTheServerReads(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		c := dial(t, i)
		fresh := text(t, i.DataDir+"/postgresql.conf")
		write := func(name, text string) {
			t.Helper()
			name = path.Join(i.DataDir, name)
			if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(name, i.Account.UID, i.Account.GID); err != nil {
				t.Fatal(err)
			}
		}
		compare := func(title string) {
			t.Helper()
			rows := ask(t, c,
				`select sourcefile, sourceline::text, coalesce(name, ''), coalesce(setting, ''), coalesce(error, '') `+
					`from pg_file_settings order by seqno`)
			r := pgconf.Resolve(os.DirFS("/"), i.DataDir+"/postgresql.conf", i.DataDir)
			var want []string
			for _, s := range r.Settings {
				want = append(want, fmt.Sprintf("%s:%d %s=%q", s.File, s.Line, s.Name, s.Value))
			}
			fault := false
			for n, row := range rows {
				if row[2] == "" {
					line, _ := strconv.Atoi(row[1])
					found := false
					for _, f := range r.Faults {
						found = found || f.File == row[0] && f.Line == line || f.Line == 0 || line == 0
					}
					if !found {
						t.Errorf("%s: the server says %q at %s:%s, we find %v", title, row[4], row[0], row[1], r.Faults)
					}
					fault = true
					break
				}
				got := fmt.Sprintf("%s:%s %s=%q", row[0], row[1], strings.ToLower(row[2]), row[3])
				if n >= len(want) || want[n] != got {
					t.Fatalf("%s: the server reads %s, we read %v", title, got, want[min(n, len(want)):])
				}
			}
			if !fault && (len(r.Faults) > 0 || len(want) != len(rows)) {
				t.Errorf("%s: %d settings and %v, the server has %d and no fault", title, len(want),
					r.Faults, len(rows))
			}
		}
		write("conf.d/10-a.conf", "work_mem = 5MB\nx.a = 1\n")
		write("conf.d/9-a.conf", "work_mem = 6MB\n")
		write("conf.d/Z.conf", "X.A = 'upper'\n")
		write("conf.d/.hidden.conf", "work_mem = 7MB\n")
		write("conf.d/a.conf.bak", "work_mem = 8MB\n")
		write("conf.d/sub.conf/x", "")
		write("more/x.conf", "include 'y.conf'\nx.b = 2")
		write("more/y.conf", "x.b = 'from-y'\n")
		write("postgresql.conf", fresh+
			"include_dir 'conf.d'\nx.c = 1\ninclude 'more/x.conf'\nInclude_If_Exists = 'none.conf'\nx.c = 3 # last")
		compare("includes")
		write("postgresql.conf", fresh+"include 'none.conf'\n")
		compare("a file that is not there")
		write("postgresql.conf", fresh+"include 'random.conf'\nx.last = 1\n")
		const seed = 20261121 // any: it only has to be the same each time
		random := rand.New(rand.NewPCG(seed, uint64(b.Version)))
		pieces := []string{"x.a", "x.b", "work_mem", "=", " ", " ", "\t", "'", "''", `\`, `\n`, `\101`, `\0`, "#",
			"4MB", "0x1F", "1e5", "1.5", ".5", "0.5ms", "-3",
			"on", "foo.bar", "foo-bar", "a:b/c", "a.b.c", "$", "\r", "ü", "\n", "\n", "x.c = 'good'\n", "x.d 'it''s'\n"}
		for n := range 400 {
			var file strings.Builder
			for range random.IntN(12) {
				file.WriteString(pieces[random.IntN(len(pieces))])
			}
			file.WriteString("\n") // at the end of the file the server counts a faulty last line one too low
			write("random.conf", file.String())
			compare(fmt.Sprintf("random file %d: %q", n, file.String()))
			if t.Failed() {
				break
			}
		}
	})
}

// TestAlterSystemAsTheServer: what we say ALTER SYSTEM makes of its file is what
// it makes, for every setting that takes a text, and lists are the ones that the
// server quotes.
func TestAlterSystemAsTheServer(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		c := dial(t, i)
		auto := i.DataDir + "/" + pgconf.AutoFile
		tried := 0
		for _, row := range ask(t, c,
			`select name from pg_settings where vartype = 'string' and context <> 'internal' order by name`) {
			if b.Version.Major() == 13 && row[0] == "unix_socket_directories" {
				continue // a list without quoted names there, one with them from 14 on
			}
			for _, value := range []string{`pgf a, "pgf B"`, `it's \ a`, "plain"} {
				before := text(t, auto)
				spelled := pgconf.Spelled(row[0], value)
				sql, err := pgconf.Step{Name: row[0], Value: &spelled}.SQL()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.Exec(t.Context(), sql).ReadAll(); err != nil {
					continue // a value that this setting does not take
				}
				tried++
				want, err := pgconf.AlterSystem(before, row[0], &spelled)
				if got := text(t, auto); err != nil || got != want {
					t.Errorf("%s: %v\n%s\nthe server wrote\n%s", sql, err, want, got)
				}
				// a list given as one text is one name to the server
				one := `pgf a, pgf b`
				if _, err := c.Exec(t.Context(), `ALTER SYSTEM SET "`+strings.ToLower(row[0])+`" = '`+one+
					`'`).ReadAll(); err == nil {
					got, _ := pgconf.Get(text(t, auto), row[0])
					if quoted := strings.HasPrefix(got, `"`); quoted != pgconf.IsList(row[0]) {
						t.Errorf("%s: a list %v, the server wrote %s", row[0], pgconf.IsList(row[0]), got)
					}
				}
				if _, err := c.Exec(t.Context(), `ALTER SYSTEM RESET "`+strings.ToLower(row[0])+
					`"`).ReadAll(); err != nil {
					t.Fatal(err)
				}
				if want, err := pgconf.AlterSystem(before, row[0], nil); err != nil || text(t, auto) != want {
					t.Errorf("RESET %s: %v\n%s\nthe server wrote\n%s", row[0], err, want, text(t, auto))
				}
			}
		}
		if tried < 50 {
			t.Errorf("only %d values were taken", tried)
		}
	})
}
