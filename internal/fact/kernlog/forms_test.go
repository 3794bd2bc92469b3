package kernlog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// small is a report with each of its long lines.
var small = []string{
	"postgres invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
	"CPU: 1 PID: 5120 Comm: postgres Not tainted 6.1.0-44-amd64 #1",
	"Mem-Info:",
	"2097018 pages RAM",
	"[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
	"[   1202]    26  1202    54110     4020   221184        0          -900 postgres",
	"[   5120]    26  5120  1980110  1625589 13537280        0             0 postgres",
	"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom," +
		"task_memcg=/system.slice/postgresql.service,task=postgres,pid=5120,uid=26",
	"Out of memory: Killed process 5120 (postgres) total-vm:7920440kB, anon-rss:6410112kB, file-rss:1024kB, " +
		"shmem-rss:91220kB, UID:26 pgtables:13220kB oom_score_adj:0",
}

// folds a line at a column, at blanks alone or wherever it ends.
func folds(line string, width int, blanks bool) (out []string) {
	for len(line) > width {
		at := width
		if blanks {
			if at = strings.LastIndexByte(line[:width+1], ' '); at <= 0 {
				if at = strings.IndexByte(line, ' '); at < 0 {
					break
				}
			}
		}
		out = append(out, strings.TrimRight(line[:at], " "))
		line = line[at:]
		if blanks {
			line = strings.TrimLeft(line, " ")
		}
	}
	return append(out, line)
}

// otherForms are the same report as mails, terminals, journals and collectors have it.
func otherForms(t testing.TB) map[string]string {
	t.Helper()
	object := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	out := map[string]string{}
	for _, width := range []int{60, 72, 80, 100} {
		var mail, screen strings.Builder
		for i, s := range small {
			s = fmt.Sprintf("[  512.25%04d] %s", i, s)
			mail.WriteString("> " + strings.Join(folds(s, width, true), "\n> ") + "\n")
			screen.WriteString(strings.Join(folds(s, width, false), "\n") + "\n")
		}
		out[fmt.Sprint("mail, ", width)], out[fmt.Sprint("terminal, ", width)] = mail.String(), screen.String()
	}
	var loki, logfmt, csv, chat strings.Builder
	for i, s := range small {
		loki.WriteString("2026-06-02T11:00:01Z {host=\"db4\", job=\"kern\"} " + s + "\n")
		fmt.Fprintf(&logfmt, "time=\"2026-06-03T08:00:0%dZ\" level=warn source=kmsg msg=%s\n", i, object(s))
		fmt.Fprintf(&csv, "2026-06-04T08:00:02.00%dZ,db5,\"kernel: %s\"\n", i, s)
		fmt.Fprintf(&chat, "- `[Tue Jun  9 02:11:0%d 2026] %s`\n", i, s)
	}
	out["loki"], out["logfmt"], out["csv"], out["chat"] = loki.String(), logfmt.String(), csv.String(), chat.String()
	var verbose, export, lines, pretty, gcp, kmsg, delta, numbers, rfc strings.Builder
	whole := ""
	for i, s := range small {
		fmt.Fprintf(&verbose, "Wed 2026-03-04 23:10:11.%06d CET [s=0a;i=%d;b=77]\n    _HOSTNAME=a\n    MESSAGE=%s\n",
			i, i, s)
		fmt.Fprintf(&export, "__CURSOR=s=0a;i=%d\n__REALTIME_TIMESTAMP=177270547212345%d\nMESSAGE=%s\n_PID=0\n\n",
			i, i, s)
		lines.WriteString(object(map[string]any{"message": s, "@timestamp": "2026-03-05T10:11:12Z", "tag": "k"}) + "\n")
		fmt.Fprintf(&pretty, "},{\n  \"pri\": 4,\n  \"time\": %d.5,\n  \"msg\": %s\n", 100+i, object(s))
		fmt.Fprintf(&gcp, "  {\n    \"jsonPayload\": {\n      \"MESSAGE\": %s,\n      \"PRIORITY\": \"4\"\n    },\n"+
			"    \"timestamp\": \"2026-10-02T06:14:09.11%dZ\"\n  },\n", object(s), i)
		kmsg.WriteString(object(map[string]any{"date": 1.5, "sec": 512, "usec": 250000 + i, "msg": s}) + "\n")
		fmt.Fprintf(&delta, "[  512.25%04d <    0.000010>] %s\n", i, s)
		fmt.Fprintf(&numbers, "%5d | Jan 12 09:30:41 ci kernel: %s\n", 98+i, s)
		fmt.Fprintf(&rfc, "<4>1 2026-02-14T10:20:30Z db1 kernel - - - %s\n"+
			"<4>1 2026-02-14T10:20:30Z db2 kernel - - - %s\n", s, strings.ReplaceAll(s, "5120", "7777"))
		whole += s + "\r\n"
	}
	maps.Copy(out, map[string]string{"verbose": verbose.String(), "export": export.String(),
		"collector": lines.String(),
		"dmesg -J":  pretty.String(), "Cloud Logging": gcp.String(), "kmsg": kmsg.String(), "dmesg -d": delta.String(),
		"numbers": numbers.String(), "two hosts": rfc.String(),
		"console": "{\n  \"Output\": " + object(whole) + ",\n  \"Timestamp\": \"2026-05-17T12:44:10Z\"\n}\n"})
	return out
}

// TestForms holds that a report is read whole in each of them.
func TestForms(t *testing.T) {
	forms := otherForms(t)
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		l, err := Read(strings.NewReader(forms[name]))
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if name == "two hosts" {
			want = 2
		}
		if len(l.Reports) != want {
			t.Errorf("%s: %d reports", name, len(l.Reports))
			continue
		}
		r := &l.Reports[0]
		v := Victim{}
		if len(r.Victims) == 1 {
			v = r.Victims[0]
		}
		if v.PID != 5120 || v.UID != 26 || v.Anon == nil || v.Ptes == nil || v.Shm == nil || v.Adj == nil ||
			r.Kernel != "6.1.0-44-amd64" || r.Asker.PID != 5120 || r.Info == nil || r.Info.RAM == nil ||
			len(r.Table.Tasks) != 2 || r.Constraint != Global {
			t.Errorf("%s: %+v\n%+v", name, r, v)
			continue
		}
		last := r.Table.Tasks[1]
		if last.Name != "postgres" || last.PageTables != 13537280 || last.RSS != 1625589 ||
			r.Table.Tasks[0].Adj != -900 {
			t.Errorf("%s: %+v", name, r.Table)
		}
		if at := r.At; at.Text == "" && name != "console" || strings.Contains(at.Text, "12:44:10") {
			t.Errorf("%s: %+v", name, at)
		}
	}
}

// TestNotFramed holds that what a server's statement quotes is no report.
func TestNotFramed(t *testing.T) {
	for _, text := range []string{
		"2026-11-21 07:00:01 UTC [5] STATEMENT:  SELECT \"" + small[0] + "\"\n",
		"STATEMENT:  INSERT INTO notes VALUES ('\"x: " + small[0] + "')\n",
		"2026-11-21 07:00:01 UTC [5] LOG:  parameters: $1 = 'kernel: " + small[8] + "'\n",
	} {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) > 0 {
			t.Errorf("%s: %+v", text, l.Reports)
		}
	}
}

// TestMinutes holds that the date that dmesg -H tells once a minute is that of the lines behind it, whatever line
// has it.
func TestMinutes(t *testing.T) {
	for _, head := range []string{"[Mar15 21:47] " + small[0] + "\n",
		"[Mar15 21:47] usb 1-1: new device\n[  +3.200001] " + small[0] + "\n",
		"[Mär 5 21:46] x\n[Mar15 21:47] y\n[  +0.000001] z\n[  +0.000002] " + small[0] + "\n"} {
		l, err := Read(strings.NewReader(head + "[  +0.000007] " + small[8] + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 || l.Reports[0].At.Text != "Mar15 21:47" || l.Reports[0].Victims[0].PID != 5120 {
			t.Errorf("%s: %+v", head, l.Reports)
		}
	}
}

// TestNotJoined holds that what is cut is not put together with what stands below it.
func TestNotJoined(t *testing.T) {
	const cut = "Aug 11 05:15:19 pgx kernel: Out of memory: Killed process 88120 (postgres) total-vm:184402"
	for name, text := range map[string]string{
		"less": cut + ">\nThat was all.\n",
		"next line": cut + "\nAug 11 05:15:19 pgx kernel: oom_reaper: reaped process 88120 (postgres), now " +
			"anon-rss:0kB\n",
		"end":          cut,
		"a blank line": cut + "\n\n77kB, anon-rss:5kB, file-rss:1kB\n",
	} {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 || l.Reports[0].Victims[0].VM != nil || l.Reports[0].Victims[0].Name != "postgres" {
			t.Errorf("%s: %+v", name, l.Reports)
		}
	}
}
