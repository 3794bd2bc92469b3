package monitor

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// State that outlives the process, so that the next one can report what happened in between, and a run of --once can
// report rates. It is kept in the history, one value for the host and one for each instance.
const (
	stateSchema = "pgfettle.watch-state/1"
	hostKey     = "watch/host"
	instanceKey = "watch/instance/" // and the label
)

type hostState struct {
	Schema   string              `json:"schema"`
	Boot     string              `json:"boot"`   // boot_id of the kernel
	Looked   time.Time           `json:"looked"` // the last look
	Pending  []pending           `json:"pending,omitempty"`
	Reading  *sample.HostReading `json:"reading"`
	Baseline *Baseline           `json:"baseline"`
}

type instanceState struct {
	Schema   string            `json:"schema"`
	Started  float64           `json:"started"` // of the postmaster; 0: not known
	Read     time.Time         `json:"read"`
	Values   []*float64        `json:"values,omitempty"` // the last reading; null is not known
	Written  map[string]string `json:"written,omitempty"`
	Baseline *Baseline         `json:"baseline"`
}

// remember keeps what the next run has to know.
func (w *Watcher) remember(ctx context.Context) {
	for _, label := range w.labels() {
		if label == "" {
			w.put(ctx, hostKey, hostState{Schema: stateSchema, Boot: w.boot, Looked: w.looked, Pending: w.pending,
				Reading: &w.host, Baseline: w.bases[""]})
			continue
		}
		st := instanceState{Schema: stateSchema, Started: w.started[label], Written: w.written[label],
			Baseline: w.bases[label]}
		for _, s := range w.servers {
			if s.Label == label && !s.Now.At.IsZero() {
				st.Read = s.Now.At
				for _, v := range s.Now.Values {
					if math.IsNaN(v) {
						st.Values = append(st.Values, nil)
						continue
					}
					st.Values = append(st.Values, &v)
				}
			}
		}
		w.put(ctx, instanceKey+label, st)
	}
}

// mostState is what the history remembers of one key.
const mostState = 64 << 10

func (w *Watcher) put(ctx context.Context, key string, v any) {
	b, err := json.Marshal(v)
	if err == nil && len(b) > mostState {
		if st, ok := v.(instanceState); ok && st.Baseline != nil { // without the inputs, which are details only
			slim := *st.Baseline
			slim.Values = maps.Clone(slim.Values)
			for a, p := range slim.Values {
				p.Inputs = nil
				slim.Values[a] = p
			}
			st.Baseline = &slim
			b, err = json.Marshal(st)
		}
	}
	if err == nil {
		err = w.o.Store.Remember(ctx, key, b)
	}
	w.kept(ctx, err)
}

// recallHost brings back what an earlier run remembered of the host. What cannot
// be read is as if there were nothing: it is compared with, and never acted on.
func (w *Watcher) recallHost(ctx context.Context) {
	if b, err := w.o.Target.ReadFile("/proc/sys/kernel/random/boot_id", 4096); err == nil {
		w.boot = strings.TrimSpace(string(b))
	}
	st, ok := recall[hostState](ctx, w, hostKey)
	if !ok || st.Schema != stateSchema {
		return
	}
	w.looked = st.Looked
	if st.Baseline != nil && st.Baseline.whole() {
		w.bases[""] = st.Baseline
	}
	switch {
	case st.Boot == w.boot && st.Reading != nil:
		w.host = *st.Reading // becomes the last one at the first sample
	case st.Boot != "" && w.boot != "":
		w.note(ctx, history.Event{At: w.o.Target.Now(), Since: st.Looked, Kind: history.Restarted,
			Detail: "the host was booted"})
	}
	if list, err := w.o.Store.Findings(ctx); err == nil && !st.Looked.IsZero() {
		w.findings, w.baseline, w.pending = list, true, st.Pending
		if len(w.pending) > mostPending {
			w.pending = nil
		}
	}
}

// recallServer brings back what an earlier run remembered of an instance.
func (w *Watcher) recallServer(s *sample.Server) {
	st, ok := recall[instanceState](context.Background(), w, instanceKey+s.Label)
	if !ok || st.Schema != stateSchema {
		return
	}
	if st.Started > 0 {
		w.started[s.Label] = st.Started
	}
	if st.Written != nil {
		w.written[s.Label] = st.Written
	}
	if st.Baseline != nil && st.Baseline.whole() {
		w.bases[s.Label] = st.Baseline
	}
	if len(st.Values) == sample.Columns {
		s.Now.At = st.Read
		for i, v := range st.Values {
			s.Now.Values[i] = math.NaN()
			if v != nil {
				s.Now.Values[i] = *v
			}
		}
	}
}

// recallSettings brings back the settings that the history knows, at the first
// look; later they are those of the look before.
func (w *Watcher) recallSettings(ctx context.Context, label string, l looked) {
	if w.before[label] != nil || w.looked.IsZero() {
		return
	}
	if known, err := w.o.Store.SettingsAt(ctx, label, l.at); err == nil && len(known) > 0 {
		w.before[label] = known
	}
}

func recall[T any](ctx context.Context, w *Watcher, key string) (v T, ok bool) {
	b, err := w.o.Store.Recall(ctx, key)
	if err != nil || len(b) == 0 {
		return v, false
	}
	return v, json.Unmarshal(b, &v) == nil
}

func (b *Baseline) whole() bool { return b.Facts != nil && b.Values != nil }
