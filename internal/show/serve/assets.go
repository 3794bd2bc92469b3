package serve

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/show/web"
)

//go:embed assets/live.js
var live []byte

// forms is what the pages of this package need beside the sheet of all pages.
//
//go:embed assets/forms.css
var forms []byte

// asset is a file whose name identifies its content.
type asset struct {
	path string
	body []byte
}

// script has a hash in its name, so that a browser may keep it for good and takes
// no old one after an update.
func script() asset {
	sum := sha256.Sum256(live)
	return asset{"/assets/live." + hex.EncodeToString(sum[:6]) + ".js", live}
}

var kinds = map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	".js": "text/javascript; charset=utf-8"}

// assets gives out the files that pages load. They hold no data of the host.
func (s *Server) assets(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	kind, known := kinds[path.Ext(name)]
	if !known || !fs.ValidPath(name) {
		return s.nothing(w, r)
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	if r.URL.Path == s.script.path {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.script.body))
		return nil
	}
	body, err := fs.ReadFile(web.Assets(), name)
	if err != nil {
		h.Del("Content-Type")
		return s.nothing(w, r)
	}
	if strings.HasSuffix(name, ".css") {
		body = append(body, forms...)
	}
	sum := sha256.Sum256(body)
	h.Set("ETag", fmt.Sprintf(`"%x"`, sum[:8]))
	h.Set("Cache-Control", "no-cache") // asked for again each time, and not sent again
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	return nil
}
