package experiments

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/experiment/configure"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// TestConfigurationsOfRealServers makes configurations on every version: each configuration is tried
// by the server itself, a plan is one that it starts with, and nothing is left.
func TestConfigurationsOfRealServers(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		ctx := context.Background()
		trial, err := configure.Open(ctx, &target.Local{}, configure.Choice{Bin: b.Dir, Tool: "test"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := trial.Close(); err != nil {
				t.Error(err)
			}
		}()
		major := b.Version.Major()
		m := &configure.Maker{Files: &target.Local{}, Trial: trial, Clients: 8}
		base, err := m.Make(ctx, "--a", "default")
		if err != nil {
			t.Fatal(err)
		}
		if len(base.Settings)+len(base.Omitted) != 0 {
			t.Errorf("the defaults are %+v", base)
		}
		plan, err := m.Make(ctx, "--b", "plan:oltp")
		if err != nil {
			t.Fatal(err)
		}
		if v := plan.Settings["huge_pages"]; v == "on" {
			t.Error("a plan without --kernel wants a pool of huge pages")
		}
		if len(plan.Kernel) != 0 || plan.HugePages != 0 {
			t.Errorf("a plan without --kernel holds values of the kernel: %v", plan.Kernel)
		}
		changed := map[string]bool{}
		for _, d := range experiment.Differences(&base, &plan, major) {
			changed[d.Address] = true
		}
		// Sizes depend on what else runs here: beside servers of other tests a plan may keep max_wal_size.
		// From 19 on, jit is off by default.
		if !changed["pg:checkpoint_timeout"] || changed["pg:jit"] != (major < 19) {
			t.Errorf("the plan differs from the defaults in %v", changed)
		}
		inst, err := scratch.New(ctx, b, scratch.Options{Settings: plan.Settings})
		if err != nil {
			t.Fatal(err)
		}
		err = inst.Start(ctx)
		if err = errors.Join(err, inst.Remove()); err != nil {
			t.Errorf("the server does not start with the plan: %v", err)
		}

		file := filepath.Join(t.TempDir(), "old.conf")
		text := "port = 6000\nshared_preload_libraries = 'no_such_library, " +
			"auto_explain'\nauto_explain.log_min_duration = 0\nno_such_library.size = 1\nwork_mem = 8MB\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		old, err := m.Make(ctx, "--a", file)
		if err != nil {
			t.Fatal(err)
		}
		if len(old.Omitted) != 3 || old.Settings["work_mem"] != "8MB" ||
			old.Settings["shared_preload_libraries"] != "auto_explain" {
			t.Errorf("of a file: %+v", old)
		}
		for _, peer := range peerFiles(t) {
			if _, err := m.Make(ctx, "--a", peer); err != nil {
				t.Errorf("%s: %v", filepath.Base(peer), err)
			}
		}

		for _, bad := range []string{"pg:no_such_setting=1", "pg:work_mem=1", "pg:shared_buffers=many",
			"pg:wal_level=minimal,max_wal_senders=5"} {
			_, err := m.Make(ctx, "--b", bad)
			var p *say.Problem
			if !errors.As(err, &p) || p.Code != say.CodeUsage ||
				!strings.Contains(p.Message.String(), "would not start with it") {
				t.Errorf("%s: %v", bad, err)
			}
		}
		m.Kernel = true
		huge, err := m.Make(ctx, "--b", "pg:huge_pages=on,shared_buffers=256MB")
		if err != nil {
			t.Fatal(err)
		}
		if huge.HugePages < 128 { // 256 MB are 128 pages of 2 MB, and there is more than buffers
			t.Errorf("256 MB of shared buffers want %d huge pages", huge.HugePages)
		}
	})
}

// peerFiles are the configurations of calculators that plans are compared with.
func peerFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "internal", "act", "experiment", "configure", "testdata",
		"peers", "*.conf"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%d files of peers, not 5: %v", len(files), err)
	}
	return files
}
