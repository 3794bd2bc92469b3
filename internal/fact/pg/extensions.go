package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Extension is a row of pg_extension, of the database connected to.
type Extension struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Default string `json:"default"` // the version that CREATE EXTENSION would install
}

// ReadExtensions reads extensions.json.
func ReadExtensions(fsys fs.FS, key string) known.Fact[[]Extension] {
	return list(fsys, key, "extensions", func(r *Row) Extension {
		return Extension{Name: r.Text("extname"), Version: r.Text("extversion"), Default: r.Text("default_version")}
	})
}
