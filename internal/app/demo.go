package app

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/collect"
)

// OpenScratch looks at a server that this program runs itself, in its data directory:
// nobody has to be trusted, and no history or probe is of it.
func (h *Host) OpenScratch(ctx context.Context, dir string) (*Session, error) {
	tell, done := h.progress()
	defer done()
	s := &Session{Request: Request{Target: dir}, host: h}
	s.Collected = &collect.Request{Kind: collect.DataDir, Value: dir, Tool: h.Tool(), Progress: tell}
	var err error
	if s.Evidence, err = collect.Run(ctx, h.Target, *s.Collected); err != nil {
		return nil, err
	}
	return s, s.read()
}
