package serve

import (
	"net/http"
	"sync"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// mostStreams are pages that are kept up to date at once: each is a connection
	// that stays open.
	mostStreams = 16
	// mostOfOne of them are one reader's: a browser opens six connections to a host,
	// and two have to stay for the pages. Four readers who take all of theirs fill
	// the server, one does not.
	mostOfOne = 4
	// again is when it is worth trying again, in seconds: pages are opened and
	// closed by the minute.
	again = "30"
)

// streams are the pages that are kept up to date.
type streams struct {
	mu  sync.Mutex
	all int
	of  map[string]int // by reader; none with 0
}

// take gives a reader a place. Without one, status and why are what a reader gets.
func (p *streams) take(who string) (leave func(), status int, why say.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.of[who] >= mostOfOne:
		return nil, http.StatusTooManyRequests,
			say.M("{most} of your pages are already updated automatically; close one of them, or reload this "+
				"page manually",
				"most", mostOfOne)
	case p.all >= mostStreams:
		return nil, http.StatusServiceUnavailable,
			say.M("{most} pages are already updated automatically, which is the limit; reload this page manually",
				"most", mostStreams)
	}
	if p.of == nil {
		p.of = map[string]int{}
	}
	p.all++
	p.of[who]++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.of[who]--; p.of[who] == 0 {
			delete(p.of, who)
		}
	}), 0, say.Message{}
}
