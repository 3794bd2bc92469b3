package pg

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// TestLiveQueries: every file of the folder is asked, of every version; nothing
// that a live view asks grows with the number of tables, and the texts of queries
// stay out of every snapshot.
func TestLiveQueries(t *testing.T) {
	files, err := liveFiles.ReadDir("sql/live")
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for major := 13; major <= 19; major++ {
		qs, err := LiveQueries(major)
		if err != nil {
			t.Fatal(err)
		}
		want := len(files) + 2 // checkpoints and databases
		if major >= 16 {
			want++ // io
		}
		if len(qs) != want {
			t.Errorf("%d: %d questions, want %d", major, len(qs), want)
		}
		for _, q := range qs {
			if q.Deep() || strings.Contains(q.SQL, "_size(") {
				t.Errorf("%d: %s is too dear to be asked every second", major, q.Name)
			}
		}
	}
	for _, q := range Queries(18, true) {
		if strings.Contains(q.SQL, "left(query") {
			t.Errorf("%s brings the text of a query into the evidence", q.Name)
		}
	}
}

func liveAnswer(t *testing.T, name, text string) *evidence.Archive {
	t.Helper()
	a := evidence.New()
	if err := a.Add(Path("1", name), []byte(text)); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestLiveSessions: what is hidden is marked and its placeholder dropped, a
// process without a query has no age, and a number that is no process is refused.
func TestLiveSessions(t *testing.T) {
	const columns = `{"columns":["pid","datname","usename","application_name","backend_type","state",` +
		`"wait_event_type","wait_event","query_age","xact_age","query","ours"],"rows":[`
	l, ok := ReadLiveSessions(liveAnswer(t, "sessions", columns+`
		["11","shop","app","web","client backend","active","Lock","transactionid","12.5","13","update t","f"],
		["12","shop","other","",null,null,null,null,null,null,"<insufficient privilege>","f"],
		["13",null,null,"","checkpointer",null,"Activity","CheckpointerMain",null,null,"","f"],
		["14","shop","app","x","client backend","active",null,null,"-3",null,"select 1","t"]]}`), "1").Get()
	if !ok || len(l) != 4 {
		t.Fatalf("%v %+v", ok, l)
	}
	if s := l[0]; s.Hidden || s.Application != "web" || s.WaitEvent != "transactionid" || s.QueryAge == nil ||
		*s.QueryAge != 12.5 || *s.XactAge != 13 {
		t.Errorf("%+v", s)
	}
	if s := l[1]; !s.Hidden || s.Query != "" || s.Role != "other" {
		t.Errorf("a hidden session is %+v", s)
	}
	if s := l[2]; s.Hidden || s.QueryAge != nil || s.Type != "checkpointer" {
		t.Errorf("a process without a query is %+v", s)
	}
	if s := l[3]; !s.Ours || s.QueryAge == nil || *s.QueryAge != 0 {
		t.Errorf("a clock that was set back: %+v", s)
	}
	for _, pid := range []string{"0", "-1", "99999999999"} {
		bad := `{"columns":["pid"],"rows":[["` + pid + `"]]}`
		if f := ReadLiveSessions(liveAnswer(t, "sessions", bad), "1"); f.State() != known.Unread {
			t.Errorf("process %s was read: %+v", pid, f)
		}
	}
}

// TestLiveLocks: a prepared transaction blocks as process 0, and waits for nobody.
func TestLiveLocks(t *testing.T) {
	l, ok := ReadLiveLocks(liveAnswer(t, "locks", `{"columns":["pid","blocker"],"rows":[["11","0"],["12","11"]]}`),
		"1").Get()
	if !ok || !slices.Equal(l, []LiveLock{{11, 0}, {12, 11}}) {
		t.Errorf("%v %+v", ok, l)
	}
	if f := ReadLiveLocks(liveAnswer(t, "locks", `{"columns":["pid","blocker"],"rows":[["0","11"]]}`),
		"1"); f.State() != known.Unread {
		t.Errorf("process 0 waits: %+v", f)
	}
}

// TestLivePosition: a standby that has replayed nothing has no position.
func TestLivePosition(t *testing.T) {
	const columns = `{"columns":["in_recovery","lsn","checkpoint_at","started_at","now"],"rows":[`
	p, ok := ReadLivePosition(liveAnswer(t, "position", columns+
		`["f","123456","1700000000","1699999000","1700000100.25"]]}`), "1").Get()
	if lsn, there := p.LSN.Get(); !ok || !there || lsn != 123456 || p.InRecovery || p.StartedAt != 1699999000 ||
		p.Now != 1700000100.25 {
		t.Errorf("%v %+v", ok, p)
	}
	p, ok = ReadLivePosition(liveAnswer(t, "position", columns+`["t",null,"1700000000","1699999000","1700000100"]]}`),
		"1").Get()
	if !ok || !p.InRecovery || p.LSN.State() != known.Absent {
		t.Errorf("%v %+v", ok, p)
	}
}
