package params

import "testing"

// TestLogLevels: every value was tried on 19rc1; want is what its server made of it.
func TestLogLevels(t *testing.T) {
	p, ok := Lookup(19, "log_min_messages")
	if !ok || p.Type != "string" {
		t.Fatal(p, ok)
	}
	for value, want := range map[string]bool{
		"warning": true, "warning, BACKEND:ERROR": true, "backend:error,warning": true,
		"warning,walsender:debug1": true,
		"error,warning":            false, "backend:error": false, "warning,backend:error,backend:log": false,
		"warn":                false,
		"warning,backend:bad": false, "warning,": false, "": false, "warning,client:error": false,
	} {
		if r := p.Accepts(19, value); (r == nil) != want {
			t.Errorf("%q: %v, and the server takes it: %v", value, r, want)
		}
	}
	for value, want := range map[string]string{"warning": "warning", "Error, backend: LOG": "log",
		"error,checkpointer:log": "error", "": ""} {
		if got := LogLevel(value, "backend"); got != want {
			t.Errorf("%q gives a backend %q, want %q", value, got, want)
		}
	}
	// Until 18 it is a plain enum.
	if old, _ := Lookup(18, "log_min_messages"); old.Accepts(18, "warning,backend:error") == nil {
		t.Error("18 takes a list")
	}
}
