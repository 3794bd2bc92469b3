package provision

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
)

// TestVerifier: the keys of a verifier answer the exchange that RFC 7677 shows, and passwords have their bounds.
func TestVerifier(t *testing.T) {
	decoded := func(text string) []byte {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const salt, nonce = "W22ZaJ0SNY7soEsUEjb6gQ==", "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
	const exchange = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=" + nonce + ",s=" + salt + ",i=4096,c=biws,r=" + nonce
	proof := decoded("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
	got, err := verifier("pencil", decoded(salt), 4096)
	keys, ok := strings.CutPrefix(got, "SCRAM-SHA-256$4096:"+salt+"$")
	stored, server, both := strings.Cut(keys, ":")
	if err != nil || !ok || !both {
		t.Fatalf("%s, %v", got, err)
	}
	mac := func(key []byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(exchange))
		return h.Sum(nil)
	}
	const signature = "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
	if v := base64.StdEncoding.EncodeToString(mac(decoded(server))); v != signature {
		t.Errorf("the server would sign with %s", v)
	}
	for n, b := range mac(decoded(stored)) {
		proof[n] ^= b
	}
	if key := sha256.Sum256(proof); string(key[:]) != string(decoded(stored)) {
		t.Error("the proof of the client is not accepted")
	}
	one, err1 := Verifier("pencil")
	two, err2 := Verifier("pencil")
	if err1 != nil || err2 != nil || one == two || !strings.HasPrefix(one, "SCRAM-SHA-256$4096:") {
		t.Errorf("%s %v\n%s %v", one, err1, two, err2)
	}
	for _, bad := range []string{"", strings.Repeat("x", maxPassword+1)} {
		if _, err := Verifier(bad); err == nil {
			t.Errorf("a password of %d bytes is taken", len(bad))
		}
	}
}
