// Package serve is the page that stays open: an HTTP server over the same
// documents that the commands write, for a browser on this host or behind a
// proxy. It reads only. There is no address that changes anything; where
// something should be changed, the command to type is shown.
//
// A request passes the guard (guard.go: what it may be), then the door (token.go: who may come in), then its page, one
// file a topic. What pages show is made by app, as for the commands, so that a page says what the command says;
// collections are made one at a time and kept a few seconds (cache.go), so that reloading never becomes a load itself.
//
// Pages are whole without script. One small script (assets/live.js) brings new
// numbers to the page of the memory where it runs.
package serve

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Site is what the pages are about. app.Served is one: a target that is asked again and
// again. What reaches out takes long, and is called by one goroutine at a time.
type Site interface {
	// Look looks at the target.
	Look(context.Context) (*app.Session, error)
	// Check judges a look; file is that of the policy that was read, "" for none.
	Check(*app.Session) (r check.Report, file string, err error)
	// Plan plans for a look.
	Plan(context.Context, *app.Session, app.PlanAsk) (*plan.Plan, error)
	// Memory looks at the memory as it is now.
	Memory(context.Context) (*memory.Report, error)
}

// Options are what the server is made with. Site and Now are required.
type Options struct {
	Site        Site
	Target      string         // as it was named on the command line, for the commands shown; "" is this host
	Listen      Listen         // where it is and who may come in
	Token       string         // "": anyone who can reach the address can read; on a socket, this account and root
	History     string         // the file of `pgfettle watch`; "": none
	Experiments string         // the directory of the experiments; "": none
	Words       *say.Catalogue // the language of pages whose reader asks for none that there is
	Fixed       bool           // that language was named for this server: what browsers ask for does not change it
	Version     string
	Now         func() time.Time
	Tell        func(string)    // what goes wrong, one line each; may be nil
	Metrics     http.Handler    // what /metrics answers; nil: there is none
	Context     context.Context // ends collections and streams; nil: nothing does
}

// Server answers requests.
type Server struct {
	o       Options
	handler http.Handler
	door    *door
	gate    chan struct{} // one collection at a time
	look    *cell[*looked]
	memory  *cell[*remembered]
	streams streams       // a place for each page that is kept up to date
	busy    chan struct{} // one place for each request
	work    chan struct{} // one place for each page that takes a CPU for long
	script  asset

	streamEvery, streamFor time.Duration

	mu   sync.Mutex
	read map[string]found     // experiments that were read, by file, size and time
	told map[string]time.Time // what was reported, so that one fault is not reported for each request
}

const (
	// mostRequests are answered at once. Those that wait for one collection cost a
	// goroutine each; a browser opens six connections to a host.
	mostRequests = 256
	// mostWork leaves the CPUs of a small host to its server.
	mostWork = 2
)

// New makes the server of a host.
func New(o Options) *Server {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	s := &Server{o: o, gate: make(chan struct{}, 1), busy: make(chan struct{}, mostRequests),
		work: make(chan struct{}, mostWork), told: map[string]time.Time{}, read: map[string]found{}}
	s.script = script()
	s.streamEvery, s.streamFor = every, streamsEnd
	if o.Token != "" {
		s.door = newDoor(o.Token, o.Now)
	}
	s.look = newCell(o.Context, s.gate, o.Now, s.collect)
	s.memory = newCell(o.Context, s.gate, o.Now, s.remember)
	mux := http.NewServeMux()
	for pattern, page := range map[string]func(http.ResponseWriter, *http.Request) error{
		"/{$}":              s.overview,
		"/findings":         s.findings,
		"/plan":             s.plan,
		"/plan/for":         s.planFor,
		"/plan/for/{form}":  s.planForm,
		"/memory":           s.memoryPage,
		"/memory/events":    s.events,
		"/history":          s.history,
		"/history/settings": s.settings,
		"/experiments":      s.experiments,
		"/experiments/{id}": s.experiment,
		pastePath:           s.paste,
		"/explain":          s.explainIndex,
		"/explain/{id...}":  s.explain,
		"/healthz":          s.healthy,
		"/login":            s.login,
		langPath:            s.language,
		"/assets/{file}":    s.assets,
		"/metrics":          s.metrics,
		"/{nothing...}":     s.nothing,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := page(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	s.handler = s.guard(s.enter(mux))
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// healthy is for monitoring whether the server answers. It reads nothing and reveals nothing, so it is open to everyone
// who can reach the address.
func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) error {
	return text(w, http.StatusOK, "ok\n")
}

// metrics hands on to what exposes the numbers.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) error {
	if s.o.Metrics == nil {
		return s.nothing(w, r)
	}
	s.o.Metrics.ServeHTTP(w, r)
	return nil
}

func (s *Server) nothing(http.ResponseWriter, *http.Request) error {
	return &problem{http.StatusNotFound, say.M("There is no such page."), say.M("The pages are listed above.")}
}

// tell reports errors on stderr, the same one at most once a minute.
func (s *Server) tell(what string) {
	now := s.o.Now()
	s.mu.Lock()
	at, was := s.told[what]
	quiet := was && now.Sub(at) < time.Minute
	if !quiet {
		if len(s.told) > 100 { // faults that name something else each time
			clear(s.told)
		}
		s.told[what] = now
	}
	s.mu.Unlock()
	if !quiet {
		s.o.Tell(what)
	}
}
