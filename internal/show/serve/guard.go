package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// policy lets a page load its style sheet, its script and its pictures from this
// server and nothing from anywhere else; what is inline does not run.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const (
	// mostPath and mostQuery bound what is parsed. The longest address that a page
	// of ours makes is that of the form, with some twenty words.
	mostPath  = 1 << 10
	mostQuery = 4 << 10
)

// guard refuses what no page of ours asks for, before anything is parsed, and
// sets what every answer has.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = s.speaking(r)
		h := w.Header()
		if !strings.HasPrefix(r.URL.Path, "/assets/") {
			h.Set("Vary", "Accept-Language, Cookie")
		}
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Permissions-Policy",
			"accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), "+
				"payment=(), usb=()")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		defer func() {
			if p := recover(); p != nil {
				s.tell(fmt.Sprintf("a fault of the program at %s: %v\n%s", r.URL.Path, p, debug.Stack()))
				_ = plainly(w, r, http.StatusInternalServerError,
					say.M("internal error; the standard error of 'pgfettle serve' has the details"))
			}
		}()
		if status, why := s.refuse(r); status != 0 {
			if status == http.StatusMethodNotAllowed {
				h.Set("Allow", "GET, HEAD")
			}
			_ = plainly(w, r, status, why)
			return
		}
		select {
		case s.busy <- struct{}{}:
			defer func() { <-s.busy }()
		default:
			h.Set("Retry-After", "5")
			_ = plainly(w, r, http.StatusServiceUnavailable, say.M("too many concurrent requests"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuse says why a request is none for us; 0 if it is.
func (s *Server) refuse(r *http.Request) (int, say.Message) {
	login := s.o.Token != "" && r.URL.Path == "/login"
	switch {
	case len(r.URL.Path) > mostPath || len(r.URL.RawQuery) > mostQuery:
		return http.StatusRequestURITooLong, say.M("the address is too long")
	case !s.mine(r):
		return http.StatusMisdirectedRequest,
			say.M("this server does not answer to the name {name}; to allow it, start "+
				"'pgfettle serve' with --host NAME",
				"name", say.Quoted(r.Host))
	case r.Method == http.MethodPost && (login || r.URL.Path == pastePath):
		if !sameOrigin(r) {
			return http.StatusForbidden, say.M("the request comes from another site")
		}
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, say.M("this server is read-only")
	case (r.URL.Path == "/memory/events" || r.URL.Path == langPath) && !sameOrigin(r), !mayRead(r):
		return http.StatusForbidden, say.M("the request comes from another site")
	}
	return 0, say.Message{}
}

// mine reports whether the request names this server. A page of another site whose name was pointed to our address (DNS
// rebinding) is of our origin to its browser, but it still asks for its own name. The port is no part of it: a tunnel
// of ssh has another one at its other end.
func (s *Server) mine(r *http.Request) bool {
	name, _ := splitHost(r.Host)
	if name == "" {
		return false
	}
	for _, h := range s.o.Listen.Hosts {
		if known, port := splitHost(h); known == name && (port == "" || strings.EqualFold(h, r.Host)) {
			return true
		}
	}
	return localName(r, name)
}

// splitHost divides a Host header into its name, in lower case and without
// brackets, and its port.
func splitHost(s string) (name, port string) {
	s = strings.ToLower(s)
	if rest, ok := strings.CutPrefix(s, "["); ok {
		name, rest, ok = strings.Cut(rest, "]")
		if !ok || rest != "" && !strings.HasPrefix(rest, ":") {
			return "", ""
		}
		return name, strings.TrimPrefix(rest, ":")
	}
	name, port, _ = strings.Cut(s, ":")
	return name, port
}

// sameOrigin reports whether a request that must come from a page of ours does, or from no page at all. Browsers report
// that in Sec-Fetch-Site, older ones in Origin.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return origin == "" || origin == "null" || ours(origin, r) // "null": by our own Referrer-Policy
	case "":
		return origin == "" || ours(origin, r)
	case "none": // typed by a person; no page posts so
		return r.Method != http.MethodPost && origin == ""
	}
	return false
}

func ours(origin string, r *http.Request) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && r.TLS == nil
}

// mayRead lets another site link to a page of ours, and take nothing from it: neither a picture nor a frame, whose size
// or time could reveal something.
func mayRead(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
