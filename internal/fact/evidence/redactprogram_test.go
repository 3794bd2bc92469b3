package evidence

import (
	"strings"
	"testing"
)

// Names of common programs stay, because checks depend on them; private ones do not, nor does a line that is not the
// kernel's.
func TestRedactPrograms(t *testing.T) {
	a := New()
	if err := a.Add("programs.json", []byte(`[{"name":"java","rss":5},{"name":"acme-ledgerd","rss":4,"private":3},
		{"name":"wdavdaemon","rss":1,"marks":["fanotify mnt_id:1d mflags:0 mask:10001 ignored_mask:0","fanotify acme `+
		`secret"]}]`)); err != nil {
		t.Fatal(err)
	}
	b, err := a.Redact().ReadFile("programs.json")
	if err != nil {
		t.Fatal(err)
	}
	got := string(b)
	for _, want := range []string{`"java"`, `"wdavdaemon"`, `mask:10001`, `"private":3`, Redacted} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	for _, secret := range []string{"acme", "ledger", "secret"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is in %s", secret, got)
		}
	}
}

// TestRedactControlData: of pg_controldata only the settings stay that are read of it.
func TestRedactControlData(t *testing.T) {
	a := New()
	add(t, a, "pg/1/pg_controldata", "max_connections setting: 400\nmax_locks_per_xact setting: 64\n"+
		"max_acme setting: 4\nmax_connections setting: acme\nMock authentication nonce: 8d1e5a\n")
	got := redactText(t, a)
	for _, want := range []string{"max_connections setting: 400\n", "max_locks_per_xact setting: 64\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "acme") || strings.Contains(got, "8d1e5a") {
		t.Error(got)
	}
}
