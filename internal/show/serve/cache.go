package serve

import (
	"context"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// keepLeast is how long a result is shown again at least: who reloads a page manually does so every second or two.
	keepLeast = 5 * time.Second
	// keepTimes is how many times the time that it took a result is kept, so that a host on which a look takes long is
	// examined for a quarter of the time at most, however many readers there are.
	keepTimes = 3
	// longest is how long a look may take. Commands have no such bound, as who
	// waits there can interrupt them.
	longest = 2 * time.Minute
)

// cell holds one thing that is costly to make. A request while it is fresh gets it; a request while it is being made
// waits for that one.
type cell[T any] struct {
	ctx   context.Context // of the server: a reader who leaves interrupts no other
	gate  chan struct{}   // of everything that is costly
	now   func() time.Time
	make  func(context.Context) (T, error)
	mu    sync.Mutex
	last  *made[T]
	being *made[T]
}

// made is one result, or one that is being made until done is closed.
type made[T any] struct {
	done  chan struct{}
	value T
	err   error
	at    time.Time // when it was finished
	took  time.Duration
}

func newCell[T any](ctx context.Context, gate chan struct{}, now func() time.Time,
	f func(context.Context) (T, error)) *cell[T] {
	return &cell[T]{ctx: ctx, gate: gate, now: now, make: f}
}

// fresh reports whether a result may be shown again. A failure is kept as long: what is broken is not asked more often
// than what works.
func (m *made[T]) fresh(now time.Time) bool {
	age := now.Sub(m.at)
	return age >= 0 && age < max(keepLeast, keepTimes*m.took) // a clock that went back makes it stale
}

// get returns the result that is fresh, or waits for a new one.
func (c *cell[T]) get(ctx context.Context) (*made[T], error) {
	c.mu.Lock()
	if c.last != nil && c.last.fresh(c.now()) {
		defer c.mu.Unlock()
		return c.last, c.last.err
	}
	m := c.being
	if m == nil {
		m = &made[T]{done: make(chan struct{})}
		c.being = m
		go c.run(m)
	}
	c.mu.Unlock()
	select {
	case <-m.done:
		return m, m.err
	case <-ctx.Done():
		return m, ctx.Err()
	}
}

func (c *cell[T]) run(m *made[T]) {
	defer func() {
		if p := recover(); p != nil {
			m.err = say.Err("a fault of the program: {error}", "error", p)
		}
		m.at = c.now()
		c.mu.Lock()
		c.last, c.being = m, nil
		c.mu.Unlock()
		close(m.done)
	}()
	ctx, cancel := context.WithTimeout(c.ctx, longest)
	defer cancel()
	if m.err = enter(ctx, c.gate); m.err != nil {
		return
	}
	defer func() { <-c.gate }()
	began := c.now()
	m.value, m.err = c.make(ctx)
	m.took = max(c.now().Sub(began), 0)
}

// enter waits for a place. Who has it gives it back by receiving.
func enter(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
