package provision

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"

	"golang.org/x/text/secure/precis"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// iterations is scram_iterations' default, SCRAM_SHA_256_DEFAULT_ITERATIONS of 13 to 19.
const iterations = 4096

// saltLength is SCRAM_DEFAULT_SALT_LEN.
const saltLength = 16

// maxPassword is what a login takes, PG_MAX_AUTH_TOKEN_LENGTH less its frame: a longer one could be set, and not be
// used.
const maxPassword = 1024

// Verifier is what a server keeps of a password (RFC 5802, as pg_authid.rolpassword has it): the password itself leaves
// this process nowhere.
func Verifier(password string) (string, error) {
	if password == "" || len(password) > maxPassword {
		return "", say.Usage(say.M("a password has 1 to {n} bytes", "n", maxPassword), say.Message{})
	}
	// As the server does: what SASLprep does not take is used as it is.
	if p, err := precis.OpaqueString.String(password); err == nil {
		password = p
	}
	salt := make([]byte, saltLength)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	return verifier(password, salt, iterations)
}

func verifier(password string, salt []byte, rounds int) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, rounds, sha256.Size)
	if err != nil {
		return "", err
	}
	mac := func(text string) []byte {
		h := hmac.New(sha256.New, salted)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	stored := sha256.Sum256(mac("Client Key"))
	b64 := base64.StdEncoding.EncodeToString
	return "SCRAM-SHA-256$" + strconv.Itoa(rounds) + ":" + b64(salt) + "$" + b64(stored[:]) + ":" +
		b64(mac("Server Key")), nil
}
