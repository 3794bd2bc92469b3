package serve

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
)

// kept opens a live page as the sender of a header, and returns what it received and a function that closes it.
func kept(t *testing.T, url string, header map[string]string) (r *http.Response, line string, leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/memory/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	r, err = http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	line, _ = bufio.NewReader(r.Body).ReadString('\n')
	return r, line, cancel
}

// sessions begins so many sessions and returns the headers of their requests.
func sessions(t *testing.T, url string, n int) (list []map[string]string) {
	t.Helper()
	for range n {
		r := send(t, http.MethodPost, url+"/login", posted, "token="+secret)
		if len(r.Cookies()) != 1 {
			t.Fatalf("%s %v", r.Status, r.Cookies())
		}
		list = append(list, map[string]string{"Cookie": cookie + "=" + r.Cookies()[0].Value})
	}
	return list
}

// TestOneReaderTakesNotAllStreams verifies that one reader who opens any number of pages leaves others theirs, and gets
// a one-line message.
func TestOneReaderTakesNotAllStreams(t *testing.T) {
	at, _ := closed(t, nil)
	two := sessions(t, at, 2)
	taken := 0
	for range 16 {
		switch r, line, _ := kept(t, at, two[0]); r.StatusCode {
		case http.StatusOK:
			taken++
		case http.StatusTooManyRequests:
			if r.Header.Get("Retry-After") == "" || !strings.HasPrefix(line, "pgfettle: ") ||
				!strings.HasSuffix(line, "\n") {
				t.Fatalf("refused with %v %q", r.Header, line)
			}
		default:
			t.Fatalf("%s %s", r.Status, line)
		}
	}
	if r, line, _ := kept(t, at, two[1]); r.StatusCode != http.StatusOK || line != "event: memory\n" {
		t.Errorf("after %d pages of one reader another gets %s: %s", taken, r.Status, line)
	}
	// A session that is none gives no places, however it is called.
	for range 16 {
		kept(t, at, map[string]string{"Authorization": "Bearer " + secret, "Cookie": cookie + "=made-up"})
	}
	if r, line, _ := kept(t, at, map[string]string{"Authorization": "Bearer " + secret,
		"Cookie": cookie + "=another"}); r.StatusCode != http.StatusTooManyRequests {
		t.Errorf("with a made-up session: %s %s", r.Status, line)
	}
}

// TestStreamsAreBounded verifies that the total number of streams is limited, that a refused one is told when to retry,
// and that a closed one makes room.
func TestStreamsAreBounded(t *testing.T) {
	at, s := closed(t, nil)
	all := sessions(t, at, mostStreams/mostOfOne+1)
	var leave func()
	for _, who := range all[:len(all)-1] {
		for range mostOfOne {
			r, line, cancel := kept(t, at, who)
			if r.StatusCode != http.StatusOK {
				t.Fatalf("%s %s", r.Status, line)
			}
			leave = cancel
		}
	}
	last := all[len(all)-1]
	if r, line, _ := kept(t, at, last); r.StatusCode != http.StatusServiceUnavailable ||
		r.Header.Get("Retry-After") == "" || !strings.HasPrefix(line, "pgfettle: 16 pages") {
		t.Errorf("%s %v %q", r.Status, r.Header, line)
	}
	leave()
	until(t, "the room of a page that was closed", func() bool {
		s.streams.mu.Lock()
		defer s.streams.mu.Unlock()
		return s.streams.all == mostStreams-1
	})
	if r, line, _ := kept(t, at, last); r.StatusCode != http.StatusOK {
		t.Errorf("%s %s", r.Status, line)
	}
}

// TestReaders verifies what counts as one reader: anything that can vary without being logged in is no part of it.
func TestReaders(t *testing.T) {
	_, s := closed(t, nil)
	number := s.door.begin()
	for name, c := range map[string]struct {
		a, b string // addresses
		same bool
	}{
		"two ports":             {"192.0.2.1:1000", "192.0.2.1:2000", true},
		"two addresses":         {"192.0.2.1:1000", "192.0.2.2:1000", false},
		"all of loopback":       {"127.0.0.1:1000", "127.8.9.10:1000", true},
		"loopback of both":      {"127.0.0.1:1000", "[::1]:1000", true},
		"mapped":                {"127.0.0.1:1000", "[::ffff:127.0.0.1]:1000", true},
		"one network of v6":     {"[2001:db8::1]:1", "[2001:db8::2]:1", true},
		"two networks of v6":    {"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		"what is no address":    {"@", "@", true},
		"two zones of one v6":   {"[fe80::1%a]:1", "[fe80::1%b]:1", true},
		"v4 as v6, the same":    {"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		"v4 as v6, two of them": {"[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.2]:1", false},
	} {
		for _, session := range []string{"", number} {
			of := func(at string) string {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/memory/events", nil)
				if err != nil {
					t.Fatal(err)
				}
				r.RemoteAddr = at
				if session != "" {
					r.AddCookie(&http.Cookie{Name: cookie, Value: session})
				}
				return s.who(r)
			}
			if a, b := of(c.a), of(c.b); (a == b) != c.same {
				t.Errorf("%s: %q and %q", name, a, b)
			}
		}
	}
}
