package cli

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/show/web"
)

// view is how a page is written: in the language of --lang or the environment, like terminal output, because people
// read it.
func (e *Env) view() web.View { return web.View{Words: e.words} }

// writePage writes a document as one file for a browser. taken is when its facts were collected, 0 if they were not:
// the same evidence gives the same page.
func writePage[D any](env *Env, w io.Writer, taken int64, d D, of func(D, web.View) (web.Page, error)) error {
	p, err := of(d, env.view())
	if err != nil {
		return err
	}
	p.Standalone, p.Made = true, web.Made(Version, taken, env.view())
	return web.Write(w, p)
}
