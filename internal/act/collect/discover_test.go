package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Run is tried on whole hosts of testdata: what it finds (instances.json), what it reports as unavailable for the
// instances, their places and block devices, what systemd was asked, and how it would have connected to each server.
func TestRun(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Setenv("PGUSER", "")
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f := newFake(t, ar)
			got := map[string][]byte{}
			outcome(t, f, got)
			golden(t, file, ar, got)
			if left, err := filepath.Glob(filepath.Join(f.Root, "var/tmp/*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %q, %v", left, err)
			}
		})
	}
}

func outcome(t *testing.T, f *fake, got map[string][]byte) {
	var mu sync.Mutex
	asked := map[string]string{}
	c := newCollector(f, f.world.request)
	c.query = func(_ context.Context, a *evidence.Archive, key string, how pgclient.Connect,
		_ bool) (pgclient.Session, error) {
		mu.Lock()
		defer mu.Unlock()
		how.SocketDir = strings.TrimPrefix(how.SocketDir, f.Root)
		as := "ourselves"
		if how.As != nil {
			as = fmt.Sprintf("%+v", *how.As)
			how.As = nil
		}
		asked[key] = fmt.Sprintf("%s: as %s %+v\n", key, as, how)
		return pgclient.Session{DataDirectory: f.world.told[key]}, a.Add("pg/"+key+"/settings.json",
			[]byte(`{"columns":[],"rows":[]}`))
	}
	a, err := c.run(context.Background())
	if err != nil {
		var p *say.Problem
		if !errors.As(err, &p) {
			t.Fatalf("not a problem for a person: %v", err)
		}
		got["want/problem"] = []byte(strings.ReplaceAll(fmt.Sprintf("%s\ndetail: %s\nhint: %s\ncode: %d\n", p.Message,
			p.Detail, p.Hint, p.Code), f.Root, ""))
		return
	}
	for _, n := range a.Names() {
		if n == "instances.json" || n == "blocks.json" || n == strangersFile || strings.HasSuffix(n, "/places.json") ||
			strings.HasPrefix(n, "cmd/") {
			b, err := a.ReadFile(n)
			if err != nil {
				t.Fatal(err)
			}
			got["want/"+n] = b
		}
	}
	got["want/missing"] = missingOf(a, "pg/", "cmd/", "sys/dev/", "statfs/")
	var b bytes.Buffer
	for _, key := range []string{"1", "2", "3"} {
		b.WriteString(asked[key])
	}
	got["want/asked"] = b.Bytes()
}

func golden(t *testing.T, file string, ar *txtar.Archive, got map[string][]byte) {
	t.Helper()
	if *update {
		rewrite(t, file, ar, got)
		return
	}
	seen := 0
	for _, f := range ar.Files {
		if !strings.HasPrefix(f.Name, "want/") {
			continue
		}
		seen++
		if !bytes.Equal(f.Data, got[f.Name]) {
			t.Errorf("%s:\n%s\nwant:\n%s", f.Name, got[f.Name], f.Data)
		}
	}
	for name, data := range got {
		if len(data) > 0 && !has(ar, name) {
			t.Errorf("%s is not in the golden:\n%s", name, data)
		}
	}
	if seen == 0 {
		t.Error("nothing is wanted; run with -update")
	}
}

func has(ar *txtar.Archive, name string) bool {
	for _, f := range ar.Files {
		if f.Name == name {
			return true
		}
	}
	return false
}
