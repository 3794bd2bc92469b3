package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestFollow: an address that answers is fine, one that is gone or permanently moved is reported.
func TestFollow(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/here", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/now", http.RedirectHandler("/here", http.StatusFound))
	mux.Handle("/moved", http.RedirectHandler("/here", http.StatusMovedPermanently))
	s := httptest.NewServer(mux)
	defer s.Close()
	for path, want := range map[string]string{"/here": "", "/now": "", "/moved": "moved to " + s.URL + "/here",
		"/gone": "404 Not Found"} {
		if got := follow(s.Client(), s.URL+path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
