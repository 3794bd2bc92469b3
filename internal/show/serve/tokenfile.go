package serve

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// MakeToken makes a token that cannot be guessed: 130 bits.
func MakeToken() string { return rand.Text() }

// SaveToken writes a token into a file that its owner alone may read, and replaces
// what is there.
func SaveToken(name, token string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return say.Err("token file: {error}", "error", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return say.Err("token file: {error}", "error", err)
	}
	_, err = f.WriteString(token + "\n")
	return errors.Join(err, f.Close())
}

// PrivateFolder creates a directory for the token that no other user can read, below the runtime directory of the
// account, otherwise below the directory of temporary files. remove deletes it with its content.
func PrivateFolder(runtime string) (dir string, remove func(), err error) {
	if !filepath.IsAbs(runtime) {
		runtime = ""
	}
	dir, err = os.MkdirTemp(runtime, "pgfettle-serve-")
	if err != nil {
		return "", nil, say.Err("directory for the token: {error}", "error", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}
