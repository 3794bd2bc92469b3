package serve

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/test/page"
)

const secret = "correct-horse-battery"

// closed is a server that asks for a token, and takes no time over a wrong one.
func closed(t *testing.T, change func(*Options)) (string, *Server) {
	h, s := started(t, func(o *Options) {
		o.Token = secret
		if change != nil {
			change(o)
		}
	})
	s.door.wait = 0
	return h.URL, s
}

var posted = map[string]string{"Content-Type": "application/x-www-form-urlencoded"}

// TestToken verifies that only what reveals nothing is available without the token, and everything with it.
func TestToken(t *testing.T) {
	at, _ := closed(t, nil)
	for path := range allPages {
		r := get(t, at+path)
		if r.StatusCode != http.StatusUnauthorized || !strings.Contains(r.body, `name="token"`) ||
			!strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s: %s", path, r.Status)
		}
		for _, p := range page.Problems([]byte(r.body), false) {
			t.Errorf("%s: %s", path, p)
		}
	}
	for _, path := range []string{"/memory/events", "/metrics", "/nothing", "/experiments/x",
		"/plan/for/conf?ram=8GB"} {
		if r := get(t, at+path); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
	for _, path := range []string{"/healthz", "/login", "/assets/pgfettle.css"} {
		if r := get(t, at+path); r.StatusCode != http.StatusOK || strings.Contains(r.body, "PostgreSQL 17") {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
	for header, want := range map[string]int{
		"Bearer " + secret: 200, "bearer  " + secret + " ": 200,
		"Bearer " + secret + "x": 401, "Bearer " + secret[1:]: 401, "Bearer": 401, "Bearer ": 401,
		"Basic " + secret: 401, secret: 401, "": 401,
	} {
		if r := send(t, http.MethodGet, at+"/explain", map[string]string{"Authorization": header},
			""); r.StatusCode != want {
			t.Errorf("Authorization %q: %s", header, r.Status)
		}
	}
}

// TestLogin verifies that the token begins a session in a cookie that no script and no other site can use, that it
// holds, and that it ends.
func TestLogin(t *testing.T) {
	now := time.Now()
	at, _ := closed(t, func(o *Options) { o.Now = func() time.Time { return now } })
	bad := send(t, http.MethodPost, at+"/login", posted, "token=wrong&next=/plan")
	if bad.StatusCode != http.StatusUnauthorized || len(bad.Cookies()) != 0 ||
		!strings.Contains(bad.body, "This is not the token.") || !strings.Contains(bad.body, `value="/plan"`) {
		t.Fatalf("%s %v %s", bad.Status, bad.Cookies(), bad.body)
	}
	r := send(t, http.MethodPost, at+"/login", posted, url.Values{"token": {secret},
		"next": {"/plan?profile=oltp"}}.Encode())
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/plan?profile=oltp" ||
		len(r.Cookies()) != 1 {
		t.Fatalf("%s %v", r.Status, r.Header)
	}
	c := r.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure ||
		strings.Contains(c.Value, secret) {
		t.Errorf("%+v", c)
	}
	session := map[string]string{"Cookie": cookie + "=" + c.Value}
	in := send(t, http.MethodGet, at+"/explain", session, "")
	if in.StatusCode != http.StatusOK || !strings.Contains(in.body, `href="/login"`) {
		t.Errorf("%s", in.Status)
	}
	if r := send(t, http.MethodGet, at+"/explain", map[string]string{"Cookie": cookie + "=" + secret},
		""); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("the token as a cookie: %s", r.Status)
	}
	now = now.Add(11 * time.Hour)
	if r := send(t, http.MethodGet, at+"/explain", session, ""); r.StatusCode != http.StatusOK {
		t.Errorf("after 11 hours: %s", r.Status)
	}
	out := send(t, http.MethodPost, at+"/login", map[string]string{"Content-Type": posted["Content-Type"],
		"Cookie": session["Cookie"]}, "leave=yes")
	if out.StatusCode != http.StatusSeeOther || len(out.Cookies()) != 1 || out.Cookies()[0].MaxAge >= 0 {
		t.Errorf("%s %v", out.Status, out.Cookies())
	}
	if r := send(t, http.MethodGet, at+"/explain", session, ""); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("after it was ended: %s", r.Status)
	}
	r = send(t, http.MethodPost, at+"/login", posted, "token="+secret)
	session["Cookie"] = cookie + "=" + r.Cookies()[0].Value
	now = now.Add(13 * time.Hour)
	if r := send(t, http.MethodGet, at+"/explain", session, ""); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("after 13 hours: %s", r.Status)
	}
	if r := send(t, http.MethodPost, at+"/login", posted, "token="+
		strings.Repeat("x", 2*mostForm)); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a large form: %s", r.Status)
	}
}

// TestSecureCookie verifies that behind a proxy that encrypts the session is never sent in the clear.
func TestSecureCookie(t *testing.T) {
	at, _ := closed(t, func(o *Options) { o.Listen.BehindProxy = true })
	r := send(t, http.MethodPost, at+"/login", posted, "token="+secret)
	if len(r.Cookies()) != 1 || !r.Cookies()[0].Secure {
		t.Errorf("%v", r.Cookies())
	}
}

// TestNext verifies that a login leads to a page of this server and nowhere else.
func TestNext(t *testing.T) {
	for next, want := range map[string]string{
		"/plan": "/plan", "/plan/for?ram=64GB&pg=17": "/plan/for?ram=64GB&pg=17", "": "/", "//evil.example": "/",
		"https://evil.example/": "/", "/\\evil.example": "/",
		"\\\\evil.example": "/", "javascript:alert(1)": "/", "plan": "/", "/\n/evil": "/", "/login": "/",
		"/memory/events": "/", "/%2f/evil.example": "/", "///evil": "/",
	} {
		if got := localRedirect(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

// TestSessionsAreBounded verifies that logging in again and again keeps no more than so many sessions, the newest.
func TestSessionsAreBounded(t *testing.T) {
	now := time.Now()
	d := newDoor(secret, func() time.Time { return now })
	first := d.begin()
	var last string
	for range mostSessions {
		now = now.Add(time.Second)
		last = d.begin()
	}
	if len(d.sessions) != mostSessions || d.holds(first) || !d.holds(last) {
		t.Errorf("%d sessions, the first: %v, the last: %v", len(d.sessions), d.holds(first), d.holds(last))
	}
}

// TestTokenFile holds what a token may be, and who may read its file.
func TestTokenFile(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		code int // 0: it is taken
	}{
		"good": {secret + "\n", 0o600, 0}, "for a group": {secret, 0o640, 0}, "windows": {secret + "\r\n", 0o600, 0},
		"short": {"0123456789abcde", 0o600, say.CodeUsage}, "empty": {"", 0o600, say.CodeUsage},
		"long":      {strings.Repeat("x", mostCharacters+1), 0o600, say.CodeUsage},
		"two lines": {secret + "\n" + secret, 0o600, say.CodeUsage},
		"spaces":    {"sixteen characters and more", 0o600, say.CodeUsage}, "for all": {secret, 0o644, say.CodeRefused},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		got, err := ReadToken(file)
		if c.code == 0 {
			if err != nil || got != secret {
				t.Errorf("%s: %q, %v", name, got, err)
			}
			continue
		}
		wantProblem(t, name, err, c.code)
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error tells the token: %v", name, err)
		}
	}
	_, err := ReadToken(filepath.Join(dir, "nothing"))
	wantProblem(t, "nothing", err, say.CodeUsage)
	_, err = ReadToken(dir)
	wantProblem(t, "folder", err, say.CodeUsage)
}

func wantProblem(t *testing.T, name string, err error, code int) {
	t.Helper()
	p, ok := err.(*say.Problem)
	if !ok || p.Code != code || p.Hint.IsZero() {
		t.Errorf("%s: %#v, want a problem of code %d with a hint", name, err, code)
	}
}

// TestTokenInTheAddress verifies that the address that was printed lets a browser in and leads to one without the
// token, and that a wrong one does not.
func TestTokenInTheAddress(t *testing.T) {
	at, _ := closed(t, nil)
	r := get(t, at+"/login?token="+secret)
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/" || len(r.Cookies()) != 1 ||
		!r.Cookies()[0].HttpOnly || r.Cookies()[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("%s %v", r.Status, r.Header)
	}
	in := send(t, http.MethodGet, at+"/explain", map[string]string{"Cookie": cookie + "=" + r.Cookies()[0].Value}, "")
	if in.StatusCode != http.StatusOK || in.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", in.Status, in.Header)
	}
	for path, want := range map[string]int{
		"/login?token=" + secret[1:]: 401, "/login?token=": 200, "/?token=" + secret: 401, "/plan?token=" + secret: 401,
		"/login?token=" + secret + "&next=//evil.example": 303,
	} {
		r := get(t, at+path)
		if r.StatusCode != want || want != 303 && len(r.Cookies()) != 0 ||
			want == 303 && r.Header.Get("Location") != "/" {
			t.Errorf("%s: %s %v", path, r.Status, r.Header)
		}
	}
	if r := send(t, http.MethodHead, at+"/login?token="+secret, nil, ""); len(r.Cookies()) != 0 {
		t.Errorf("HEAD begins a session: %v", r.Cookies())
	}
	cross := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
	if r := send(t, http.MethodGet, at+"/login?token="+secret, cross, ""); r.StatusCode != http.StatusForbidden ||
		len(r.Cookies()) != 0 {
		t.Errorf("by a picture of another site: %s", r.Status)
	}
}

// TestGuessesLockNobodyOut verifies that a user with a session, or with a token that cannot be guessed, gets the pages
// while any number of others guess, and that those with a short token are told to retry when too many wait.
func TestGuessesLockNobodyOut(t *testing.T) {
	at, s := closed(t, nil)
	session := sessions(t, at, 1)[0]
	for range cap(s.door.waiting) { // as many as can wait
		s.door.waiting <- struct{}{}
	}
	if r := send(t, http.MethodGet, at+"/explain", session, ""); r.StatusCode != http.StatusOK {
		t.Errorf("with a session: %s", r.Status)
	}
	r := send(t, http.MethodGet, at+"/explain", map[string]string{"Authorization": "Bearer wrong"}, "")
	if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" {
		t.Errorf("one more guess: %s %v", r.Status, r.Header)
	}
	if cap(s.door.waiting) >= cap(s.busy) {
		t.Errorf("guesses may take all %d places of requests", cap(s.busy))
	}
	token := MakeToken()
	h, long := started(t, func(o *Options) { o.Token = token })
	for range cap(long.door.places) {
		long.door.places <- struct{}{} // if they were slowed, no one else could log in
	}
	for bearer, want := range map[string]int{token: 200, token[1:]: 401} {
		if r := send(t, http.MethodGet, h.URL+"/explain", map[string]string{"Authorization": "Bearer " + bearer},
			""); r.StatusCode != want {
			t.Errorf("a long token: %s, want %d", r.Status, want)
		}
	}
}

// TestMadeToken verifies that a token that is made is one that is taken, is another each time, and is kept where its
// owner alone reads it, whatever was there before.
func TestMadeToken(t *testing.T) {
	dir, remove, err := PrivateFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", st, err)
	}
	name, elsewhere := filepath.Join(dir, "token"), filepath.Join(t.TempDir(), "other")
	if err := os.Symlink(elsewhere, name); err != nil {
		t.Fatal(err)
	}
	var last string
	for range 2 {
		token := MakeToken()
		if token == last || len(token) < unguessable {
			t.Errorf("%q after %q", token, last)
		}
		last = token
		if err := SaveToken(name, token); err != nil {
			t.Fatal(err)
		}
		st, err := os.Lstat(name)
		if err != nil || st.Mode() != 0o600 {
			t.Errorf("%v %v", st, err)
		}
		if got, err := ReadToken(name); err != nil || got != token {
			t.Errorf("%q %v", got, err)
		}
	}
	if _, err := os.Lstat(elsewhere); err == nil {
		t.Error("it was written through a link")
	}
	remove()
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder stays")
	}
}
