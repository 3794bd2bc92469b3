package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Client asks an agent to run commands.
type Client struct {
	port    io.ReadWriteCloser
	started chan struct{} // closed when the agent has said that it is there

	lock    sync.Mutex
	last    int
	waiting map[int]chan Reply // nil when the port is gone
	gone    error
}

// Dial begins to listen at the outer end of the port.
func Dial(port io.ReadWriteCloser) *Client {
	c := &Client{port: port, started: make(chan struct{}), waiting: map[int]chan Reply{}}
	go c.listen()
	return c
}

func (c *Client) listen() {
	dec := json.NewDecoder(c.port)
	for {
		var r Reply
		err := dec.Decode(&r)
		c.lock.Lock()
		switch {
		case err != nil:
			c.gone = fmt.Errorf("agent: %w", err)
			for _, w := range c.waiting {
				close(w)
			}
			c.waiting = nil
			c.lock.Unlock()
			return
		case r.ID == 0:
			select {
			case <-c.started:
			default:
				close(c.started)
			}
		case c.waiting[r.ID] != nil:
			c.waiting[r.ID] <- r // it has room for one
			delete(c.waiting, r.ID)
		}
		c.lock.Unlock()
	}
}

// Started is closed when the agent has said that it is there.
func (c *Client) Started() <-chan struct{} { return c.started }

// Close ends the talk.
func (c *Client) Close() error { return c.port.Close() }

// Run runs a command in the guest and waits for its end. The error is of a
// command that could not be run or took too long, not of one that failed.
func (c *Client) Run(ctx context.Context, q Request) (Reply, error) {
	answer := make(chan Reply, 1)
	c.lock.Lock()
	if c.waiting == nil {
		c.lock.Unlock()
		return Reply{}, c.gone
	}
	c.last++
	q.ID = c.last
	c.waiting[q.ID] = answer
	b, err := json.Marshal(q)
	if err == nil {
		_, err = c.port.Write(append(b, '\n'))
	}
	c.lock.Unlock()
	if err != nil {
		return Reply{}, fmt.Errorf("agent: %w", err)
	}
	select {
	case r, ok := <-answer:
		if !ok {
			return r, c.gone
		}
		if r.Error != "" {
			return r, errors.New(r.Error)
		}
		return r, nil
	case <-ctx.Done():
		return Reply{}, context.Cause(ctx)
	}
}
