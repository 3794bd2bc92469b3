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

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// cookie is the name of the session. It is bound to no path, as pages are all
	// over the server.
	cookie = "pgfettle"
	// session is how long one login holds: a day at work.
	session = 12 * time.Hour
	// mostSessions bounds what logging in again and again keeps; the oldest goes.
	mostSessions = 256
	// attempts are checked at once, and each wrong one takes wrong: at most four guesses per second, and no user is
	// locked out permanently.
	attempts = 4
	wrong    = time.Second
	// mostWaiting may wait for that: eight seconds' worth. The rest are told to retry later, so that guesses never take
	// the places of all requests.
	mostWaiting = 32
	// unguessable is the length from which guesses need not be slowed, so that they lock no user out: in base32, the
	// narrowest that tokens are made in, these are 130 bits.
	unguessable = 26
	// mostForm bounds the body of a login.
	mostForm = 8 << 10
)

// door admits users who know the token: by a header, or by a session started by a login. A session is a separate random
// number, so that the token is in no cookie.
type door struct {
	token    [sha256.Size]byte
	now      func() time.Time
	wait     time.Duration
	places   chan struct{}
	waiting  chan struct{}
	slow     bool // guesses are slowed
	mu       sync.Mutex
	sessions map[[sha256.Size]byte]time.Time // hash of the number → its end
}

func newDoor(token string, now func() time.Time) *door {
	return &door{token: sha256.Sum256([]byte(token)), now: now, wait: wrong, slow: len(token) < unguessable,
		places: make(chan struct{}, attempts), waiting: make(chan struct{}, attempts+mostWaiting),
		sessions: map[[sha256.Size]byte]time.Time{}}
}

// knows compares hashes, which have one length, in constant time.
func (d *door) knows(token string) bool {
	have := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(have[:], d.token[:]) == 1
}

// errGuesses means that too many wrong tokens are waiting for their answer.
var errGuesses = &problem{http.StatusTooManyRequests, say.M("Too many tokens are being tried at once."),
	say.M("Try again in a few seconds. With a token of 26 characters or more, the guesses of others delay no one.")}

// try is knows for who may be guessing.
func (d *door) try(r *http.Request, token string) (bool, error) {
	if !d.slow {
		return d.knows(token), nil
	}
	select {
	case d.waiting <- struct{}{}:
		defer func() { <-d.waiting }()
	default:
		return false, errGuesses
	}
	if enter(r.Context(), d.places) != nil {
		return false, nil
	}
	defer func() { <-d.places }()
	if d.knows(token) {
		return true, nil
	}
	select {
	case <-time.After(d.wait):
	case <-r.Context().Done():
	}
	return false, nil
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

// holds reports whether a session is one of ours. The time of looking up its hash does not reveal how close a guess
// was.
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

// public are the addresses that reveal nothing: whether the server answers, its style, and where to enter the token.
func public(path string) bool {
	return path == "/healthz" || path == "/login" || path == langPath || strings.HasPrefix(path, "/assets/")
}

// enter lets a request through whose sender may read: the account itself over its
// socket, and who knows the token.
func (s *Server) enter(next http.Handler) http.Handler {
	if s.door == nil && !s.o.Listen.socket() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if public(r.URL.Path) || s.itself(r) || s.in(r) {
			next.ServeHTTP(w, r)
			return
		}
		if s.door == nil {
			_ = plainly(w, r, http.StatusForbidden,
				say.M("only root and the account that runs 'pgfettle serve' can use this socket; to allow others "+
					"with a token, start it with --token-file"))
			return
		}
		scheme, token, said := strings.Cut(r.Header.Get("Authorization"), " ")
		if said && strings.EqualFold(scheme, "Bearer") {
			right, err := s.door.try(r, strings.TrimSpace(token))
			if err != nil {
				s.fail(w, r, err)
				return
			}
			if right {
				next.ServeHTTP(w, r)
				return
			}
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="pgfettle"`)
		if err := s.ask(w, r, http.StatusUnauthorized, r.URL.RequestURI(), say.Message{}); err != nil {
			s.fail(w, r, err)
		}
	})
}

// in reports whether a request has a session.
func (s *Server) in(r *http.Request) bool {
	if s.door == nil {
		return false
	}
	c, err := r.Cookie(cookie)
	return err == nil && s.door.holds(c.Value)
}

// login takes the token, or ends the session. The token may be in the address that 'pgfettle serve' printed; what is
// redirected to does not hold it any more.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	if s.door == nil {
		return s.nothing(w, r)
	}
	if r.Method != http.MethodPost {
		said := r.URL.Query()
		if token := said.Get("token"); token != "" && r.Method == http.MethodGet {
			return s.begin(w, r, token, said.Get("next"))
		}
		return s.ask(w, r, http.StatusOK, said.Get("next"), say.Message{})
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		return &problem{http.StatusBadRequest, say.M("The form could not be read."),
			say.M("Go back and send it again.")}
	}
	if r.PostForm.Get("leave") != "" {
		if old, err := r.Cookie(cookie); err == nil {
			s.door.end(old.Value)
		}
		c := s.cookie(r)
		c.MaxAge = -1
		http.SetCookie(w, c)
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return nil
	}
	return s.begin(w, r, r.PostForm.Get("token"), r.PostForm.Get("next"))
}

// begin begins a session with the token.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, token, next string) error {
	right, err := s.door.try(r, strings.TrimSpace(token))
	switch {
	case err != nil:
		return err
	case !right:
		return s.ask(w, r, http.StatusUnauthorized, next, say.M("This is not the token."))
	}
	c := s.cookie(r)
	c.Value, c.MaxAge = s.door.begin(), int(session/time.Second)
	http.SetCookie(w, c)
	http.Redirect(w, r, localRedirect(next), http.StatusSeeOther)
	return nil
}

// cookie is that of a session, which no script and no other site can use.
func (s *Server) cookie(r *http.Request) *http.Cookie {
	return &http.Cookie{Name: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || s.o.Listen.BehindProxy}
}

// localRedirect is where a login leads to: a page of this server that is none of the login itself.
func localRedirect(next string) string {
	next = localPath(next)
	if path, _, _ := strings.Cut(next, "?"); path == "/login" {
		return "/"
	}
	return next
}

// localPath keeps a redirection on this server: a path, and nothing that a browser
// takes for another host.
func localPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		strings.ContainsAny(next, "\\\x00\r\n\t") {
		return "/"
	}
	// As it is written and as it is read: /%2f is no path of ours, and %2f is none.
	for _, path := range []string{u.EscapedPath(), u.Path} {
		if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
			return "/"
		}
	}
	if u.Path == langPath || u.Path == "/memory/events" {
		return "/"
	}
	return u.RequestURI()
}

// ask shows the form of the login.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, status int, next string, wrong say.Message) error {
	// With no-referrer a browser hides its origin from us too, when it posts.
	w.Header().Set("Referrer-Policy", "same-origin")
	return s.page(w, r, status, sheet{Title: say.M("Log in"), Bare: true, Name: "login",
		Data: map[string]any{"Next": localRedirect(next), "Wrong": tongueOf(r).Word(wrong), "In": s.in(r)}})
}
