package serve

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	// cookie is the name of the session. It is bound to no path, as pages are all
	// over the server.
	cookie = "pgfettle"
	// session is how long one login holds: a day at work.
	session = 12 * time.Hour
	// mostSessions bounds what logging in again and again keeps; the oldest goes.
	mostSessions = 256
	// attempts are looked at at once, and each wrong one takes wrong: at most four
	// guesses a second, and nobody is locked out for good.
	attempts = 4
	wrong    = time.Second
	// mostForm bounds the body of a login.
	mostForm = 8 << 10
)

// door lets in who knows the token: by a header, or by a session that a login
// began. A session is a random number of its own, so that the token is in no
// cookie.
type door struct {
	token    [sha256.Size]byte
	now      func() time.Time
	wait     time.Duration
	places   chan struct{}
	mu       sync.Mutex
	sessions map[[sha256.Size]byte]time.Time // hash of the number → its end
}

func newDoor(token [sha256.Size]byte, now func() time.Time) *door {
	return &door{token: token, now: now, wait: wrong, places: make(chan struct{}, attempts), sessions: map[[sha256.Size]byte]time.Time{}}
}

// knows compares hashes, which have one length, in constant time.
func (d *door) knows(token string) bool {
	have := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(have[:], d.token[:]) == 1
}

// try is knows for who may be guessing.
func (d *door) try(r *http.Request, token string) bool {
	if enter(r.Context(), d.places) != nil {
		return false
	}
	defer func() { <-d.places }()
	if d.knows(token) {
		return true
	}
	select {
	case <-time.After(d.wait):
	case <-r.Context().Done():
	}
	return false
}

// begin makes a session.
func (d *door) begin() string {
	number := rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	var oldest [sha256.Size]byte
	var end time.Time
	for id, until := range d.sessions {
		if !until.After(now) {
			delete(d.sessions, id)
		} else if end.IsZero() || until.Before(end) {
			oldest, end = id, until
		}
	}
	if len(d.sessions) >= mostSessions {
		delete(d.sessions, oldest)
	}
	d.sessions[sha256.Sum256([]byte(number))] = now.Add(session)
	return number
}

// holds says whether a session is one of ours. Looking its hash up tells nobody
// by its time how near a guess was.
func (d *door) holds(number string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	until, ok := d.sessions[sha256.Sum256([]byte(number))]
	return ok && until.After(d.now())
}

func (d *door) end(number string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sessions, sha256.Sum256([]byte(number)))
}

// public are the addresses that tell nothing: whether the server answers, how it
// looks, and where to say the token.
func public(path string) bool {
	return path == "/healthz" || path == "/login" || strings.HasPrefix(path, "/assets/")
}

// enter lets a request through whose sender may read.
func (s *Server) enter(next http.Handler) http.Handler {
	if s.door == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if public(r.URL.Path) || s.in(r) {
			next.ServeHTTP(w, r)
			return
		}
		scheme, token, said := strings.Cut(r.Header.Get("Authorization"), " ")
		if said && strings.EqualFold(scheme, "Bearer") && s.door.try(r, strings.TrimSpace(token)) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="pgfettle"`)
		if err := s.ask(w, r, http.StatusUnauthorized, r.URL.RequestURI(), ""); err != nil {
			s.fail(w, r, err)
		}
	})
}

// in says whether a request has a session.
func (s *Server) in(r *http.Request) bool {
	c, err := r.Cookie(cookie)
	return err == nil && s.door.holds(c.Value)
}

// login takes the token, or ends the session.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	if s.door == nil {
		return s.nothing(w, r)
	}
	if r.Method != http.MethodPost {
		return s.ask(w, r, http.StatusOK, r.URL.Query().Get("next"), "")
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		return &problem{http.StatusBadRequest, "The form could not be read.", "Go back and send it again."}
	}
	c := &http.Cookie{Name: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil || s.o.Listen.BehindProxy}
	if r.PostForm.Get("leave") != "" {
		if old, err := r.Cookie(cookie); err == nil {
			s.door.end(old.Value)
		}
		c.MaxAge = -1
		http.SetCookie(w, c)
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return nil
	}
	next := r.PostForm.Get("next")
	if !s.door.try(r, strings.TrimSpace(r.PostForm.Get("token"))) {
		return s.ask(w, r, http.StatusUnauthorized, next, "This is not the token.")
	}
	c.Value, c.MaxAge = s.door.begin(), int(session/time.Second)
	http.SetCookie(w, c)
	http.Redirect(w, r, here(next), http.StatusSeeOther)
	return nil
}

// here keeps a redirection on this server: a path, and nothing that a browser
// takes for another host.
func here(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || strings.ContainsAny(next, "\\\x00\r\n\t") {
		return "/"
	}
	// As it is written and as it is read: /%2f is no path of ours, and %2f is none.
	for _, path := range []string{u.EscapedPath(), u.Path} {
		if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
			return "/"
		}
	}
	if u.Path == "/login" || u.Path == "/memory/events" {
		return "/"
	}
	return u.RequestURI()
}

// ask shows the form of the login.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, status int, next, wrong string) error {
	// With no-referrer a browser hides its origin from us too, when it posts.
	w.Header().Set("Referrer-Policy", "same-origin")
	return s.page(w, r, status, sheet{Title: "Log in", Bare: true, Name: "login", Data: map[string]any{"Next": here(next), "Wrong": wrong, "In": s.in(r)}})
}
