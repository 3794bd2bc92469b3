package output

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// TestWrapped: what a page, a forum, a chat or a file of PowerShell puts around a text.
func TestWrapped(t *testing.T) {
	lines := strings.Split(strings.TrimRight(flushes, "\n"), "\n")
	html := func(end string) string {
		return "<h1>x</h1><pre><code class=\"a\">" + strings.Join(lines, end) + "</code></pre><p>y"
	}
	code := func(units binary.AppendByteOrder, bom bool) string {
		var b []byte
		if bom {
			b = units.AppendUint16(b, 0xFEFF)
		}
		for _, u := range utf16.Encode([]rune(flushes)) {
			b = units.AppendUint16(b, u)
		}
		return string(b)
	}
	for name, text := range map[string]string{
		"html":             html("<br/>\n"),
		"html in a line":   html("<br>"),
		"spans":            "<pre>" + strings.ReplaceAll(flushes, "ops/sec", "<span class=k>ops/sec</span>") + "</pre>",
		"BBCode":           "text [CODE]" + strings.TrimSpace(flushes) + "[/CODE] more",
		"Jira":             "{noformat}" + flushes + "{noformat}",
		"Jira with title":  "{code:title=x|theme=y}" + strings.TrimSpace(flushes) + "{code}",
		"backticks":        "see ```" + strings.TrimSpace(flushes) + "``` and",
		"UTF-16":           code(binary.LittleEndian, true),
		"UTF-16 big":       code(binary.BigEndian, true),
		"UTF-16 bare":      code(binary.LittleEndian, false),
		"quoted-printable": strings.NewReplacer("=", "=3D", "usecs/op", "usecs=\n/op").Replace("a=b\nc=d\n" + flushes),
		"entities":         strings.NewReplacer("/", "&#x2F;", "'", "&#39;", ":", "&#58;").Replace(flushes),
		"Org":              ": " + strings.Join(lines, "\n: "),
		"SQL":              "-- " + strings.Join(lines, "\n-- "),
		"TeX":              "% " + strings.Join(lines, "\n% "),
		"C":                "/*\n * " + strings.Join(lines, "\n * ") + "\n */",
		"a new file":       "```diff\n" + "+" + strings.Join(lines, "\n+") + "\n```\n",
		"a hunk":           "@@ -0,0 +1,20 @@ x\n" + "+" + strings.Join(lines, "\n+") + "\n",
	} {
		x := one(t, text).Fsync
		if x == nil || len(x.One) != 5 || x.One[0].PerSecond != 1940.579 || x.One[4].PerSecond != 1702.405 ||
			!x.One[3].Missing || x.Seconds != 5 || !x.DirectIO {
			t.Errorf("%s: %+v\n%s", name, x, text)
		}
	}
}

// TestDiff: the run before and the run after.
func TestDiff(t *testing.T) {
	r, err := Read([]byte(`@@ -1,3 +1,3 @@
 number of clients: 10
-latency average = 2.984 ms
-tps = 3351.220418 (without initial connection time)
+latency average = 2.573 ms
+tps = 3886.011703 (without initial connection time)
diff --git a/x b/x
`))
	if err != nil || len(r.Outputs) != 2 || *r.Outputs[0].Pgbench.TPS != 3351.220418 ||
		r.Outputs[1].Pgbench.Clients != 10 ||
		*r.Outputs[1].Pgbench.Latency.Mean != 2.573 {
		t.Errorf("%v %+v", err, r)
	}
	const text = "@@ -1,2 +1,2 @@\n-a\n+b\n c\n"
	if lines := around.Text([]byte(text)); lines.String() != text {
		t.Errorf("another diff became %q", lines.String())
	}
}

// TestRetypedBench: a table that somebody has made of results.
func TestRetypedBench(t *testing.T) {
	for name, text := range map[string]string{
		"Markdown": "pgbench -S:\n\n| size | clients | tps | latency avg (ms) |\n|---|--:|---|---|\n" +
			"| small | 10 | 4210.33 | 2.375 |\n| large | 50 | **12102.7** | 4.131 |\n",
		"CSV":       "# pgbench\nsize,clients,tps,latency\nsmall,10,4210.33,2.375\nlarge,50,12102.7,4.131\n",
		"semicolon": "pgbench\nsize;clients;TPS;latency\nsmall;10;4210,33;2,375\nlarge;50;12102,7;4,131\n",
		"tabs":      "pgbench\nsize\tclients\ttps\tlatency\nsmall\t10\t4210.33\t2.375\nlarge\t50\t12102.7\t4.131\n",
	} {
		r, err := Read([]byte(text))
		if err != nil || len(r.Outputs) != 2 || *r.Outputs[0].Pgbench.TPS != 4210.33 ||
			r.Outputs[1].Pgbench.Clients != 50 ||
			*r.Outputs[1].Pgbench.Latency.Mean != 4.131 || r.Outputs[1].Of != "large" || !r.Outputs[1].Cut {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
	r, _ := Read([]byte("pgbench\n| clients | tps before | tps after |\n|---|---|---|\n| 8 | 100.5 | 120.25 |\n"))
	if len(r.Outputs) != 2 || *r.Outputs[1].Pgbench.TPS != 120.25 || r.Outputs[1].Of != "tps after" {
		t.Errorf("two columns: %+v", r.Outputs)
	}
	if r, err := Read([]byte("| clients | tps |\n|---|---|\n| 8 | 100.5 |\n")); err == nil {
		t.Errorf("of no known program: %+v", r.Outputs)
	}
}

// TestIostatHuman: units behind the figures, the device last, and -x in several tables.
func TestIostatHuman(t *testing.T) {
	x := one(t, `avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          12.1%    0.0%    4.2%    9.3%    0.4%   74.0%

      tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn Device
     0.20         0.0k         1.5k       0.0k       8.0k loop0
  2410.60         1.0M        88.5M       6.0M     442.0M nvme0n1
`)
	s := x.Iostat.Samples
	if len(s) != 1 || s[0].CPU == nil || s[0].CPU.IOWait != 9.3 || len(s[0].Devices) != 2 ||
		*s[0].Devices[1].Written != 92798976 || *s[0].Devices[0].Written != 1536 || *s[0].Devices[1].TPS != 2410.6 {
		t.Errorf("%+v", s)
	}
	x = one(t, `     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device
  100.00      1.0M     0.00   0.0%    0.50    10.4k sda

     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz Device
   50.00    512.0k     0.00   0.0%    7.50    10.2k sda

     f/s f_await  aqu-sz  %util Device
    1.00    0.20    1.20  98.5% sda
`)
	if s := x.Iostat.Samples; len(s) != 1 || len(s[0].Devices) != 1 || *s[0].Devices[0].WriteMS != 7.5 ||
		*s[0].Devices[0].Util != 98.5 || *s[0].Devices[0].Read != 1<<20 {
		t.Errorf("-xh: %+v", s)
	}
}

// TestFioBullets: rates of runs as a list.
func TestFioBullets(t *testing.T) {
	for _, mark := range []string{"- ", "* ", "• ", "  ", "+ "} {
		x := one(t, mark+"read: IOPS=23.6k, BW=92.0MiB/s (96.5MB/s)(3070MiB/33367msec)\n"+
			mark+"write: IOPS=7871, BW=30.7MiB/s (32.2MB/s)(1026MiB/33367msec); 0 zone resets\n\n"+
			mark+"**read**: IOPS=2967, BW=11.6MiB/s (12.2MB/s)(3070MiB/264812msec)\n")
		if f := x.Fio; len(f.Jobs) != 2 || f.Jobs[0].Write.PerSecond != 7871 || f.Jobs[1].Read.PerSecond != 2967 {
			t.Errorf("%q: %+v", mark, x.Fio)
		}
	}
}

// TestOtherCodePage: words that cannot be read do not hide methods and figures.
func TestOtherCodePage(t *testing.T) {
	x := one(t, "5 \xf1\xe5\xea\xf3\xed\xe4 \xed\xe0 \xf2\xe5\xf1\xf2\n"+
		"O_DIRECT \xed\xe0 \xfd\xf2\xee\xe9 \xef\xeb \xe4\xeb\xff open_datasync \xe8 open_sync.\n\n"+
		"\xd1\xf0\xe0\xe2\xed\xe5\xed\xe8\xe5 (8 \xea\xc1):\n"+
		"        open_datasync                      4204,118 \xee\xef/\xf1      238 \xec\xea\xf1/\xee\xef\n"+
		"        fdatasync                                      \xed/\xe4\n"+
		"        fsync                               310,402 \xee\xef/\xf1     3222 \xec\xea\xf1/\xee\xef\n")
	if f := x.Fsync; f == nil || len(f.One) != 3 || f.One[0].PerSecond != 4204.118 || !f.One[1].Missing ||
		f.Seconds != 5 {
		t.Errorf("%+v", x.Fsync)
	}
}
