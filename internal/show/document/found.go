package document

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/search"
)

// FoundTitle is the title of a page that was found, in the reader's language.
func FoundTitle(f *search.Page, in *say.Catalogue) string {
	if len(f.Titles) == 0 {
		return say.M("read, but not planned").In(in)
	}
	if p := advice.ByName(f.Name); len(p) == 1 && p[0].ID == f.Name {
		return p[0].In(in).Title
	}
	return in.Text(f.Titles[0])
}
