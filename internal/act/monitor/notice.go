package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// NoticeSchema names the version of the document that a notice is.
const NoticeSchema = "pgfettle.notice/1"

// Notice is the document that is sent.
type Notice struct {
	Schema string `json:"schema"`
	Tool   string `json:"tool"`
	Host   string `json:"host"`
	At     string `json:"at"`              // RFC 3339, UTC: when it was seen
	Since  string `json:"since,omitempty"` // it happened after this time
	// for a state that had to last before it was reported: when it was first seen
	Held string `json:"held_since,omitempty"`
	// of the event: setting, plan-stale, finding-appeared, finding-severity, finding-vanished
	Kind     string `json:"kind"`
	Severity string `json:"severity,omitempty"`
	Instance string `json:"instance,omitempty"` // data directory; "" for the host
	Subject  string `json:"subject"`
	Before   string `json:"before,omitempty"`
	After    string `json:"after,omitempty"`
	Who      string `json:"who,omitempty"`
	Where    string `json:"where,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Text     string `json:"text"`                // all of it in one line
	HeldBack int    `json:"held_back,omitempty"` // notices that were not sent since the one before
}

// Sink is where notices go.
type Sink interface {
	Name() string // for talk; never with a secret
	// Send hands one notice over. Where the error is a *Passing the same may succeed
	// later.
	Send(ctx context.Context, body []byte) error
}

// Passing is an error that may have gone by in a while.
type Passing struct{ Err error }

func (p *Passing) Error() string { return p.Err.Error() }

// Unwrap returns the cause.
func (p *Passing) Unwrap() error { return p.Err }

const (
	// sameAgain is how long a subject keeps silent after a notice: a finding that comes and goes with every look is
	// nothing new within the hour.
	sameAgain = time.Hour
	// burst is how many notices may go out at once, refilled by one every refill:
	// an apply changes some thirty values, and a broken rule may find a thousand
	// things.
	burst  = 40
	refill = time.Minute
	// mostSubjects bounds what is known of subjects; beyond, the oldest are forgotten.
	mostSubjects = 10_000
	// mostQueued bounds the notices that wait for a sink that does not answer; the
	// oldest go first, as the history has them all.
	mostQueued = 100
	// tries is how often one is sent before it is given up, with pauses of a
	// second, doubled each time: a restart of the receiver is outlived, a night is not.
	tries      = 7
	firstPause = time.Second
)

// Notifier chooses, bounds and sends notices. Offer never waits.
type Notifier struct {
	tool, host string
	from       check.Severity
	now        func() time.Time
	tell       func(Level, say.Message)
	queues     []*queue

	sent   map[string]time.Time // by subject
	tokens float64
	filled time.Time
	held   int
}

// NewNotifier starts one goroutine for each sink; Close ends them.
func NewNotifier(tool, host string, from check.Severity, now func() time.Time, tell func(Level, say.Message),
	sinks ...Sink) *Notifier {
	n := &Notifier{tool: tool, host: host, from: from, now: now, tell: tell, sent: map[string]time.Time{},
		tokens: burst, filled: now()}
	for _, s := range sinks {
		q := &queue{sink: s, tell: tell, wake: make(chan struct{}, 1), done: make(chan struct{})}
		q.ctx, q.cancel = context.WithCancel(context.Background())
		n.queues = append(n.queues, q)
		go q.run()
	}
	return n
}

// wanted reports whether an event is one that people are notified of.
func (n *Notifier) wanted(e history.Event) bool {
	switch e.Kind {
	case history.SettingChanged, history.PlanStale:
		return true
	case history.FindingAppeared:
		return severity(e.After) >= n.from
	case history.FindingVanished:
		return severity(e.Before) >= n.from
	case history.FindingSeverity:
		return severity(e.After) >= n.from && severity(e.After) > severity(e.Before)
	}
	return false
}

// Offer sends a notice of an event where one is wanted, and its subject or all
// together have not sent too many.
func (n *Notifier) Offer(e history.Event) {
	if !n.wanted(e) {
		return
	}
	if !n.may(subjectOf(e)) {
		if n.held++; n.held == 1 {
			n.tell(Plain, say.M("notification suppressed: too many of them, or the same one within the last hour"))
		}
		return
	}
	body, err := json.Marshal(n.document(e))
	if err != nil {
		n.tell(Err, say.M("notification: {reason}", "reason", err))
		return
	}
	n.held = 0
	for _, q := range n.queues {
		q.add(body)
	}
}

// subjectOf is what a notice is about: a setting has another subject for each
// value, as each change of it is news.
func subjectOf(e history.Event) string {
	kind := string(e.Kind)
	if e.Kind == history.FindingSeverity {
		kind = string(history.FindingAppeared) + " " + e.After
	}
	if e.Kind == history.FindingAppeared {
		kind += " " + e.After
	}
	value := ""
	if e.Kind == history.SettingChanged {
		value = e.After
	}
	return kind + "\x00" + e.Instance + "\x00" + e.Subject + "\x00" + value
}

func (n *Notifier) may(subject string) bool {
	now := n.now()
	if at, ok := n.sent[subject]; ok && now.Sub(at) < sameAgain && now.Sub(at) >= 0 {
		return false
	}
	n.tokens = min(n.tokens+max(now.Sub(n.filled).Minutes()/refill.Minutes(), 0), burst)
	n.filled = now
	if n.tokens < 1 {
		return false
	}
	n.tokens--
	if len(n.sent) >= mostSubjects {
		clear(n.sent)
	}
	n.sent[subject] = now
	return true
}

func (n *Notifier) document(e history.Event) Notice {
	d := Notice{Schema: NoticeSchema, Tool: n.tool, Host: n.host, At: e.At.UTC().Format(time.RFC3339),
		Kind: string(e.Kind), Instance: e.Instance, Subject: e.Subject,
		Before: e.Before, After: e.After, Who: e.Who, Where: e.Where, Detail: e.Detail, Text: Sentence(e).English(),
		HeldBack: n.held}
	if !e.Since.IsZero() {
		d.Since = e.Since.UTC().Format(time.RFC3339)
	}
	if !e.Held.IsZero() {
		d.Held = e.Held.UTC().Format(time.RFC3339)
	}
	if e.Kind == history.FindingAppeared || e.Kind == history.FindingSeverity {
		d.Severity = e.After
	}
	return d
}

// Close waits until all is sent, no longer than a time, and ends the sinks.
func (n *Notifier) Close(within time.Duration) {
	end := time.NewTimer(within)
	defer end.Stop()
	for _, q := range n.queues {
		q.finish()
	}
	for _, q := range n.queues {
		select {
		case <-q.done:
		case <-end.C:
			end.Reset(0) // the others have had their time as well
		}
		q.cancel()
	}
	for _, q := range n.queues {
		<-q.done
		if left := q.left(); left > 0 {
			n.tell(Warning, say.M("{sink}: notifications not sent: {n}", "sink", q.sink.Name(), "n", left))
		}
	}
}

// queue is what waits for one sink.
type queue struct {
	sink   Sink
	tell   func(Level, say.Message)
	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{}
	done   chan struct{}

	mu     sync.Mutex
	list   [][]byte
	closed bool
	lost   int
}

func (q *queue) add(body []byte) {
	q.mu.Lock()
	if len(q.list) >= mostQueued {
		q.list = q.list[1:]
		if q.lost++; q.lost == 1 {
			q.tell(Warning, say.M("{sink}: the notification queue is full; the oldest are dropped", "sink",
				q.sink.Name()))
		}
	}
	q.list = append(q.list, body)
	q.mu.Unlock()
	q.nudge()
}

func (q *queue) finish() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.nudge()
}

func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func (q *queue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list)
}

// next takes the first notice; end is that no more will come.
func (q *queue) next() (body []byte, end bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil, q.closed
	}
	body, q.list = q.list[0], q.list[1:]
	return body, false
}

func (q *queue) run() {
	defer close(q.done)
	for {
		body, end := q.next()
		switch {
		case end:
			return
		case body == nil:
			select {
			case <-q.wake:
			case <-q.ctx.Done():
				return
			}
			continue
		}
		if err := q.send(body); err != nil {
			q.tell(Warning, say.M("{sink}: notification failed: {reason}", "sink", q.sink.Name(),
				"reason", gapwords.OfError(err)))
		}
		if q.ctx.Err() != nil {
			return
		}
	}
}

// send tries until the notice is taken, refused for good, or tried often enough.
func (q *queue) send(body []byte) error {
	for n, pause := 1, firstPause; ; n, pause = n+1, 2*pause {
		err := q.sink.Send(q.ctx, body)
		if _, passing := errors.AsType[*Passing](err); !passing || n == tries || q.ctx.Err() != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-q.ctx.Done():
			return err
		}
	}
}
