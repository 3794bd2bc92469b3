package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/test/await"
)

// TestMetricsGoOn: with --interval the file is written, and an interruption shows only in the exit code.
func TestMetricsGoOn(t *testing.T) {
	dir := t.TempDir()
	a, err := snapshot.Describe("ram=4GB,cpus=2,pg=17")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := a.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	host, out := filepath.Join(dir, "host.evidence"), filepath.Join(dir, "p.prom")
	if err := os.WriteFile(host, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan int, 1)
	var stdout, stderr bytes.Buffer
	go func() {
		ended <- Main(ctx, []string{"metrics", "--textfile", out, "--interval", "24h", host}, strings.NewReader(""),
			&stdout, &stderr, nil)
	}()
	await.That(t, "the file", func() (bool, any) { // the rename makes it whole at once
		select {
		case code := <-ended:
			t.Fatalf("it ended by itself with %d: %s", code, stderr.String())
		default:
		}
		_, err := os.Stat(out)
		return err == nil, err
	})
	stop()
	if code := <-ended; code != exitInterrupted || stdout.Len() > 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, %q %q", code, stdout.String(), stderr.String())
	}
	b, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(b), "\npgfettle_collections_total{result=\"success\"} 1\n") {
		t.Errorf("%v %s", err, b)
	}
}
