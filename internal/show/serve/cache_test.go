package serve

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	diagmemory "github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/test/await"
)

// clock is a clock that a test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(0, c.at.Load()) }
func (c *clock) pass(d time.Duration) { c.at.Add(int64(d)) }

func newClock() *clock { c := &clock{}; c.at.Store(time.Now().UnixNano()); return c }

// until waits for something that other goroutines bring about.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	await.That(t, what, func() (bool, any) { return is(), "nothing of it" })
}

// TestManyReadersOneLook verifies that 100 requests at once cause one look at the host, that all of them get it, and
// that one plan is made for them.
func TestManyReadersOneLook(t *testing.T) {
	const readers = 100
	var looks, plans atomic.Int64
	release := make(chan struct{})
	h, s := started(t, func(o *Options) {
		o.Now = newClock().now // it stands still: on a busy machine 100 pages take longer than a look is kept
		site := stubbed(o)
		look, planned := site.look, site.plan
		site.look = func(ctx context.Context) (*app.Session, error) {
			looks.Add(1)
			<-release
			return look(ctx)
		}
		site.plan = func(ctx context.Context, l *app.Session, a app.PlanAsk) (*plan.Plan, error) {
			plans.Add(1)
			return planned(ctx, l, a)
		}
	})
	var wg sync.WaitGroup
	var fine atomic.Int64
	for i := range readers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if r := get(t, h.URL+[]string{"/findings", "/plan", "/"}[i%3]); r.StatusCode == http.StatusOK {
				fine.Add(1)
			}
		}()
	}
	until(t, "the last of the readers", func() bool { return len(s.busy) == readers })
	close(release)
	wg.Wait()
	if looks.Load() != 1 || plans.Load() != 1 || fine.Load() != readers {
		t.Errorf("%d looks, %d plans, %d pages of %d", looks.Load(), plans.Load(), fine.Load(), readers)
	}
}

// TestTooManyRequests verifies that requests beyond the bound are refused at once.
func TestTooManyRequests(t *testing.T) {
	h, s := started(t, nil)
	for range mostRequests {
		s.busy <- struct{}{}
	}
	r := get(t, h.URL+"/healthz")
	if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Errorf("%s", r.Status)
	}
}

// TestKept holds how long a look is shown again: some seconds, and longer where it
// took long; a failure as well; and not where the clock went back.
func TestKept(t *testing.T) {
	c := newClock()
	var n atomic.Int64
	var takes time.Duration
	var fails error
	x := newCell(t.Context(), make(chan struct{}, 1), c.now, func(context.Context) (int64, error) {
		c.pass(takes)
		return n.Add(1), fails
	})
	look := func(pass time.Duration, want int64) {
		t.Helper()
		c.pass(pass)
		m, err := x.get(t.Context())
		if m.value != want || !errors.Is(err, fails) {
			t.Errorf("after %s: look %d, want %d; %v", pass, m.value, want, err)
		}
	}
	look(0, 1)
	look(keepLeast-1, 1)
	takes = 20 * time.Second
	look(1, 2)
	look(59*time.Second, 2)
	takes, fails = 0, errors.New("no")
	look(time.Second, 3)
	look(keepLeast-1, 3)
	look(1, 4)
	look(-time.Hour, 5)
}

// TestALookOutlivesItsReader verifies that a reader who goes away interrupts no look that others wait for, and that a
// fault of the program is an error of the page.
func TestALookOutlivesItsReader(t *testing.T) {
	release := make(chan struct{})
	x := newCell(t.Context(), make(chan struct{}, 1), time.Now, func(ctx context.Context) (int, error) {
		<-release
		return 7, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.get(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the reader who went: %v", err)
	}
	close(release)
	if m, err := x.get(t.Context()); err != nil || m.value != 7 {
		t.Errorf("the next: %v, %v", m.value, err)
	}
	x = newCell(t.Context(), make(chan struct{}, 1), time.Now, func(context.Context) (int, error) { panic("a fault") })
	if _, err := x.get(t.Context()); err == nil || !strings.Contains(err.Error(), "a fault") {
		t.Errorf("a panic: %v", err)
	}
}

// TestLooksTakeTurns verifies that the memory is not examined while the host is.
func TestLooksTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at, most, times atomic.Int64
		during := func() {
			times.Add(1)
			if n := at.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Nanosecond) // here: until all others wait, or are where they should not be
			at.Add(-1)
		}
		s, cancel := built(t, func(o *Options) {
			site := stubbed(o)
			look, memory, planned := site.look, site.memory, site.plan
			site.look = func(ctx context.Context) (*app.Session, error) { during(); return look(ctx) }
			site.memory = func(ctx context.Context) (*diagmemory.Report, error) { during(); return memory(ctx) }
			site.plan = func(ctx context.Context, l *app.Session, a app.PlanAsk) (*plan.Plan, error) {
				during()
				return planned(ctx, l, a)
			}
		})
		defer cancel()
		var wg sync.WaitGroup
		for _, path := range []string{"/findings", "/memory", "/plan", "/plan?profile=dw",
			"/plan?connections=50", "/"} {
			wg.Go(func() {
				if status, body := answered(s, path); status != http.StatusOK {
					t.Errorf("%s: %d %s", path, status, body)
				}
			})
		}
		wg.Wait()
		if most.Load() != 1 || times.Load() != 5 {
			t.Errorf("%d looks and plans, not 5; %d at once", times.Load(), most.Load())
		}
	})
}

// TestPlansAreBounded verifies that plans for other purposes are kept up to a bound.
func TestPlansAreBounded(t *testing.T) {
	var plans int
	_, s := started(t, func(o *Options) {
		stubbed(o).plan = func(context.Context, *app.Session, app.PlanAsk) (*plan.Plan, error) {
			plans++
			return &plan.Plan{}, nil
		}
	})
	l := &looked{Session: &app.Session{Snapshot: &snapshot.Snapshot{}}, plans: map[app.PlanAsk]planned{}}
	for i := range 2*mostPlans + 1 {
		for range 2 {
			if _, err := s.planFrom(t.Context(), l, app.PlanAsk{Connections: i + 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if plans != 2*mostPlans+1 || len(l.plans) > mostPlans {
		t.Errorf("%d plans were made, %d are kept", plans, len(l.plans))
	}
}
