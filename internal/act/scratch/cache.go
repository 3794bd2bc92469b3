package scratch

import (
	"os"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// CacheDir returns the directory that keeps fetched server binaries: below the user's cache directory, and for root
// below /var/cache, because the unprivileged user who runs them may not pass through root's home.
func CacheDir() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/cache/pgfettle/postgresql", nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", say.Err("cache directory: {reason}", "reason", err)
	}
	return filepath.Join(dir, "pgfettle", "postgresql"), nil
}
