package conffile_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
)

// found are the findings in a text, judged for a version; older says that the text names one that is older than all
// that are known.
func found(text string, major int, older bool) string {
	_, t := conffile.Recognize([]byte(text))
	t.Named.Older = older
	r := conffile.JudgeText(t, "/d/text", major, filepath.Base, nil, true, checks.All())
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s: %s | %s\n", f.Severity, f.ID, f.Seen, f.Do)
	}
	return b.String()
}

// TestFragment holds that what a part of a configuration does not set is not said to have its default, and that a name
// is not said to stop a server of the version that the text names.
func TestFragment(t *testing.T) {
	const fence = "in postgresql.conf:\n```\nmax_wal_senders = 5\nwal_keep_segments = 1000\n```\nand in " +
		"pg_hba.conf:\n```\n" +
		"host  replication  postgres  192.168.2.0/24  trust\n```\n"
	for _, c := range []struct {
		name, text string
		major      int
		older      bool
		has, not   []string
	}{
		{"the default of an absent line", fence, 16, false, []string{"warning hba_trust: trust in line 8"},
			[]string{"listen_addresses"}},
		{"a number that follows from the old one", fence, 16, false,
			[]string{"critical conf_renamed", "Here: wal_keep_size = 16000MB."}, nil},
		{"a whole number of gigabytes", strings.Replace(fence, "1000", "64", 1), 16, false,
			[]string{"Here: wal_keep_size = 1GB."}, nil},
		{"segments of checkpoints", strings.Replace(fence, "wal_keep_segments = 1000", "checkpoint_segments = 8", 1),
			16,
			false, []string{"Here: max_wal_size = 384MB."}, nil},
		{"the version has it", "PostgreSQL 9.6:\n" + fence, 13, true, []string{"notice conf_renamed: PostgreSQL 9.6",
			"Change nothing for 9.6."}, []string{"critical"}},
		{"the version is later than the name", "PostgreSQL 9.6:\n```\nwork_mem = 4MB\ncheckpoint_segments = " +
			"8\n```\n", 13,
			true, []string{"critical conf_renamed"}, []string{"still accepts"}},
		{"lines for several versions", "```\n# PostgreSQL 9.2\nwal_level = hot_standby\n\n# PostgreSQL 10 & 12\n" +
			"wal_level = replica\n\nmax_wal_senders = 3\nwork_mem = " +
			"4MB\n```\n", 13, true, nil, []string{"conf_duplicate"}},
		{"prose above and a line of pg_hba.conf below", "my settings:\nshared_buffers = 4GB\nwork_mem = 64MB\n" +
			"max_connections = 200\nhost all all 0.0.0.0/0 md5\n", 17, false, nil, []string{"critical"}},
		{"amounts with a space", "-----  Memory usage  -----\n[INFO]    configured work_mem: 32.00 MB\n" +
			"[INFO]    shared_buffers: 12.00 GB\n[INFO]    maintenance_work_mem=2.00 GB\n", 17, false, nil,
			[]string{"conf_out_of_range"}},
	} {
		got := found(c.text, c.major, c.older)
		for _, s := range c.has {
			if !strings.Contains(got, s) {
				t.Errorf("%s: no %q in\n%s", c.name, s, got)
			}
		}
		for _, s := range c.not {
			if strings.Contains(got, s) {
				t.Errorf("%s: %q in\n%s", c.name, s, got)
			}
		}
	}
}

// TestOwnAmongOthers holds that of a list with several values for each parameter the one in use is taken.
func TestOwnAmongOthers(t *testing.T) {
	for name, text := range map[string]string{
		"below its name": "What we run:\n- shared_buffers\n  - Ours: 7GB / default: 128MB\n- work_mem\n" +
			"  - Ours: 32MB / default: 4MB\n",
		"behind its name": "- `shared_buffers`: default: 128MB, ours: 7GB\n- `work_mem`: default: 4MB, ours: 32MB\n",
		"in lines": "shared_buffers\n  default = 128MB\n  current value = 7GB\nwork_mem\n  default = " +
			"4MB\n  current value = 32MB\n",
	} {
		_, got := conffile.Recognize([]byte(text))
		s := ""
		for _, set := range got.Settings {
			s += set.Name + "=" + set.Value + " "
		}
		if s != "shared_buffers=7GB work_mem=32MB " {
			t.Errorf("%s: %s", name, s)
		}
	}
}
