package top

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	generate "github.com/pgfettle/pgfettle/internal/gen/jsonschema"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// twice is a source of two looks.
func twice() *fake {
	return &fake{hosts: []*now.HostLook{hostAt(0), hostAt(2)}, servers: []*now.ServerLook{serverAt(0), serverAt(2)}}
}

var subject = Subject{Label: "/srv/17/main", CPUs: 8, Connections: 100, Limit: 48 * unit.GB}

func at() time.Time { return noon.Add(3 * time.Second) }

// TestWriteText holds the text: what was hostile does nothing, and no line is wider
// than was asked for.
func TestWriteText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		if err := Write(t.Context(), &b, twice(), subject, Plain{Width: 100, Times: 1, Every: 2 * time.Second},
			at); err != nil {
			t.Fatal(err)
		}
		golden(t, "text", strings.TrimSuffix(b.String(), "\n"))
	})
}

// TestWriteTimes: as many are written as were asked for, each of looks of its own,
// the interval apart.
func TestWriteTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src, began := twice(), time.Now()
		var b bytes.Buffer
		if err := Write(t.Context(), &b, src, subject, Plain{Width: 100, Times: 3, Every: 10 * time.Second, JSON: true},
			at); err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(&b)
		n := 0
		for d.More() {
			var r now.Report
			if err := d.Decode(&r); err != nil {
				t.Fatal(err)
			}
			n++
		}
		if took := time.Since(began); n != 3 || src.asked != [2]int{4, 4} || took != 22*time.Second {
			t.Errorf("%d documents of %v looks in %s", n, src.asked, took)
		}
	})
}

// TestWriteSpares: a server that takes long to answer is asked less often than the host is examined, but twice for the
// first text, which has rates.
func TestWriteSpares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := twice()
		for _, s := range src.servers {
			s.Took = 4 * time.Second
		}
		var b bytes.Buffer
		if err := Write(t.Context(), &b, src, subject, Plain{Width: 100, Times: 40, Every: time.Second},
			at); err != nil {
			t.Fatal(err)
		}
		if src.asked != [2]int{41, 3} || !strings.Contains(b.String(), "WAL 9 MB/s") {
			t.Errorf("%v looks in forty seconds", src.asked)
		}
	})
}

// TestWriteEnds: an interruption ends it, and an output that fails does.
func TestWriteEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := Write(ctx, &bytes.Buffer{}, twice(), subject, Plain{Width: 100, Every: 5 * time.Second},
			at); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		for _, asJSON := range []bool{false, true} {
			if err := Write(t.Context(), full{}, twice(), subject,
				Plain{Width: 100, Times: 1, Every: time.Second, JSON: asJSON}, at); !errors.Is(err, errFull) {
				t.Errorf("%v", err)
			}
		}
	})
}

var errFull = errors.New("no space left on device")

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// hanging is a source whose server never answers, once it hangs.
type hanging struct {
	*fake
	after  int
	asked  atomic.Int32
	forced chan struct{}
}

func (h *hanging) Server() *now.ServerLook {
	if int(h.asked.Add(1)) > h.after {
		<-h.forced
	}
	return h.fake.Server()
}

// TestWriteHangs: a look that hangs is given up, its numbers are said to be old, and no other is begun next to it.
func TestWriteHangs(t *testing.T) {
	for after, want := range map[int]string{0: "server: no answer within 10s",
		1: "the server does not answer; its data is 3.0 s old"} {
		synctest.Test(t, func(t *testing.T) {
			h := &hanging{fake: twice(), after: after, forced: make(chan struct{})}
			var b bytes.Buffer
			if err := Write(t.Context(), &b, h, subject, Plain{Width: 100, Times: 2, Every: time.Second},
				at); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), want) || int(h.asked.Load()) != after+1 ||
				!strings.Contains(b.String(), "load 2.75") {
				t.Errorf("asked %d times:\n%s", h.asked.Load(), b.String())
			}
			close(h.forced)
		})
	}
}

// TestWriteWithoutEither: where neither the host is seen nor a server is there, the
// text says so, and nothing is asked.
func TestWriteWithoutEither(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := twice()
		var b bytes.Buffer
		none := Subject{HostUnseen: &known.Gap{Reason: "the server runs on another host"},
			ServerUnseen: &known.Gap{Reason: "no instance runs here"}}
		if err := Write(t.Context(), &b, src, none, Plain{Width: 100, Times: 1, Every: time.Second}, at); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); src.asked != [2]int{} || !strings.Contains(s, "server: no instance runs here") ||
			!strings.Contains(s, "memory of the host: the server runs on another host") {
			t.Errorf("%v:\n%s", src.asked, s)
		}
	})
}

var schema = filepath.Join("..", "..", "..", "schema", "top.schema.json")

// TestTopSchema holds the published schema to the types that it is made of, that what
// is written is what it says, without a null, and that it refuses what is none.
func TestTopSchema(t *testing.T) {
	want, err := generate.Render(generate.Document{
		Title: "pgfettle top --format json",
		Description: "What a host and one of its instances do at this moment. Rates are over the time between two " +
			"looks; what is not known is left out, and unknown says why.",
		Type:    reflect.TypeFor[now.Report](),
		Version: now.Schema,
		File:    "top.schema.json",
		Module:  "github.com/pgfettle/pgfettle",
		Source:  os.DirFS(filepath.Join("..", "..", "..")),
	})
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schema, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schema)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("schema/top.schema.json is not what the types say: run this test with -update")
	}
	s, err := jsonschema.NewCompiler().Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	valid := func(doc string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	synctest.Test(t, func(t *testing.T) {
		for name, sub := range map[string]Subject{"full": subject,
			"empty": {HostUnseen: &known.Gap{Reason: "x"}, ServerUnseen: &known.Gap{Reason: "y"}}} {
			var b bytes.Buffer
			if err := Write(t.Context(), &b, twice(), sub, Plain{Times: 1, Every: time.Second, JSON: true},
				at); err != nil {
				t.Fatal(err)
			}
			if err := valid(b.String()); err != nil || strings.Contains(b.String(), "null") {
				t.Errorf("%s: %v: %s", name, err, b.String())
			}
			if name == "full" {
				golden(t, "report.json", strings.TrimSuffix(b.String(), "\n"))
			}
		}
	})
	for _, bad := range []string{`{}`, `{"schema":"pgfettle.top/2"}`, `[]`} {
		if valid(bad) == nil {
			t.Errorf("%s is taken for a report", bad)
		}
	}
}
