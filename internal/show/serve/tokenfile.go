package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// MakeToken makes a token that cannot be guessed: 130 bits.
func MakeToken() string { return rand.Text() }

// SaveToken writes a token into a file that its owner alone may read, and replaces
// what is there.
func SaveToken(name, token string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("token file: %w", err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("token file: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	return errors.Join(err, f.Close())
}

// PrivateFolder makes a folder for the token that nobody else can look into, below
// where the account keeps what lasts as long as it is logged in, else below the
// folder of temporary files. remove takes it away with what is in it.
func PrivateFolder(runtime string) (dir string, remove func(), err error) {
	if !filepath.IsAbs(runtime) {
		runtime = ""
	}
	dir, err = os.MkdirTemp(runtime, "pgfettle-serve-")
	if err != nil {
		return "", nil, fmt.Errorf("a folder for the token: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}
