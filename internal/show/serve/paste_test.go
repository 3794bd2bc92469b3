package serve

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/test/page"
)

// ticket is a paste with a host, settings, a server's log and a kill.
const ticket = `Hello, it is slow, and was restarted in the night.

[root@db7 ~]# free -m
              total        used        free      shared  buff/cache   available
Mem:          64215       12304         812        4102       51098       47001
Swap:          4095          10        4085
[root@db7 ~]# cat /sys/kernel/mm/transparent_hugepage/enabled
[always] madvise never

postgres=# select name, setting, unit from pg_settings where name ~ 'buffers|autovacuum$|max_conn';
        name         |  setting  | unit
---------------------+-----------+------
 autovacuum          | off       |
 max_connections     | 500       |
 shared_buffers      | 16384     | 8kB
(3 rows)

2026-03-02 02:11:09.120 UTC [812] LOG:  server process (PID 40122) was terminated by signal 9: Killed
2026-03-02 02:11:09.120 UTC [812] DETAIL:  Failed process was running: select sum(total) from orders group by day
2026-03-02 02:11:09.121 UTC [812] LOG:  terminating any other active server processes
2026-03-02 02:11:09.402 UTC [812] LOG:  all server processes terminated; reinitializing
2026-03-02 02:11:12.017 UTC [812] LOG:  database system is ready to accept connections

[root@db7 ~]# dmesg | grep -i kill
[70123.401122] Out of memory: Killed process 40122 (postgres) total-vm:9412340kB, anon-rss:7012344kB, ` +
	`file-rss:2104kB, shmem-rss:131072kB, UID:26 pgtables:14980kB oom_score_adj:0
`

func sendPaste(t *testing.T, at, text string) answer {
	t.Helper()
	return send(t, http.MethodPost, at+pastePath, posted, url.Values{"text": {text}}.Encode())
}

// TestPaste verifies that a paste becomes a report on its host, that nothing of this host is examined for it, and that
// the next page has nothing of it.
func TestPaste(t *testing.T) {
	var looks atomic.Int64
	h, _ := started(t, func(o *Options) { o.Site = siteOf(describedHost(t), &looks) })
	for _, text := range []string{ticket, strings.ReplaceAll(ticket, "\n", "\r\n")} { // as a browser sends it
		r := sendPaste(t, h.URL, text)
		if r.StatusCode != http.StatusOK {
			t.Fatalf("%s:\n%s", r.Status, r.body)
		}
		for _, want := range []string{"Recognized input", "free (lines 4–6)", "62.7 GB", "autovacuum is off",
			"Server log", "signal 9", "OOM kills", "40122", "Hello, it is slow"} {
			if !strings.Contains(r.body, want) {
				t.Errorf("it lacks %q:\n%s", want, r.body)
			}
		}
		for _, p := range page.Problems([]byte(r.body), false) {
			t.Error(p)
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("it may be kept: %q", r.Header.Get("Cache-Control"))
		}
	}
	if n := looks.Load(); n != 0 {
		t.Errorf("the host was looked at %d times", n)
	}
	for _, path := range []string{pastePath, "/", "/findings"} {
		if r := get(t, h.URL+path); r.StatusCode != http.StatusOK || strings.Contains(r.body, "40122") {
			t.Errorf("%s: %s, or something of the paste is on it", path, r.Status)
		}
	}
}

// TestPasteNothing verifies that a text of which nothing is recognized is said to be so.
func TestPasteNothing(t *testing.T) {
	h, _ := started(t, nil)
	r := sendPaste(t, h.URL, "Hello,\nit is slow.\n")
	if r.StatusCode != http.StatusOK || !strings.Contains(r.body, "Not recognized") ||
		strings.Contains(r.body, "Findings</h2>") {
		t.Errorf("%s:\n%s", r.Status, r.body)
	}
	for _, p := range page.Problems([]byte(r.body), false) {
		t.Error(p)
	}
}

// TestPasteBounds holds what is refused of a paste, and which users can send it.
func TestPasteBounds(t *testing.T) {
	const token = "0123456789abcdef"
	h, _ := started(t, func(o *Options) { o.Token = token })
	let := func(more map[string]string) map[string]string {
		out := map[string]string{"Authorization": "Bearer " + token, "Content-Type": posted["Content-Type"]}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	form := func(text string) string { return url.Values{"text": {text}}.Encode() }
	for name, c := range map[string]struct {
		header map[string]string
		body   string
		want   int
	}{
		"who says no token":   {posted, form(ticket), 401},
		"another site":        {let(map[string]string{"Sec-Fetch-Site": "cross-site"}), form(ticket), 403},
		"an old browser, too": {let(map[string]string{"Origin": "https://evil.example"}), form(ticket), 403},
		"our own page":        {let(map[string]string{"Sec-Fetch-Site": "same-origin"}), form(ticket), 200},
		"no text":             {let(nil), form(" \n "), 422},
		"another field":       {let(nil), "paste=x", 422},
		"1 MB":                {let(nil), form(strings.Repeat("x y z\n", mostPaste/6)), 200},
		"more than 1 MB":      {let(nil), form(strings.Repeat("x", mostPaste+1)), 413},
		"much more than 1 MB": {let(nil), form(strings.Repeat("x", mostPasteForm)), 413},
		"a broken form":       {let(nil), "text=%zz", 400},
		"a file": {let(map[string]string{"Content-Type": "multipart/form-data; boundary=x"}),
			"--x\r\nContent-Disposition: form-data; name=\"text\"; filename=\"f\"\r\n\r\nfree\r\n--x--\r\n", 415},
		"JSON": {let(map[string]string{"Content-Type": "application/json"}), `{"text": "x"}`, 415},
	} {
		t.Run(name, func(t *testing.T) {
			r := send(t, http.MethodPost, h.URL+pastePath, c.header, c.body)
			if r.StatusCode != c.want {
				t.Errorf("%s, want %d:\n%.300s", r.Status, c.want, r.body)
			}
		})
	}
}

// TestPasteHostile verifies that what is pasted is shown and never run.
func TestPasteHostile(t *testing.T) {
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)> {{.}}` + "\x1b[2J\x00\u202e"
	h, _ := started(t, nil)
	r := sendPaste(t, h.URL, strings.NewReplacer("orders", evil, "Hello", evil, "db7", "db<script>", "UTC", evil).
		Replace(ticket))
	if strings.Contains(r.body, "<script>") || strings.Contains(r.body, "<img") ||
		strings.ContainsAny(r.body, "\x1b\x00\u202e") {
		t.Errorf("it has what it should not:\n%s", r.body)
	}
	for _, p := range page.Problems([]byte(r.body), false) {
		t.Error(p)
	}
}

// TestPasteTakesTurns verifies that no more pastes are read at once than there are places.
func TestPasteTakesTurns(t *testing.T) {
	h, s := started(t, nil)
	for range cap(s.work) {
		s.work <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // who does not wait for a place gets none
	if _, err := s.pasteReport(ctx, tongues[say.English](), ticket); !errors.Is(err, context.Canceled) {
		t.Errorf("it was read without a place: %v", err)
	}
	<-s.work
	if r := sendPaste(t, h.URL, ticket); r.StatusCode != http.StatusOK || len(s.work) != cap(s.work)-1 {
		t.Errorf("with a place: %s, and %d are taken after it", r.Status, len(s.work))
	}
}
