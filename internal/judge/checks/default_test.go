package checks

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/test/golden"
)

// TestDefaultInstances: an instance with initdb's settings gets a short list that an experienced DBA agrees with, on a
// server and on a small host.
func TestDefaultInstances(t *testing.T) {
	for name, host := range map[string]string{
		"server_64gb": "ram=64GB,swap=2GB,cpus=16,storage=nvme,pg=17,disk=2000GB",
		"vps_1gb":     "ram=1GB,swap=1GB,cpus=1,pg=17,disk=20GB",
	} {
		t.Run(name, func(t *testing.T) {
			a, err := snapshot.Describe(host)
			if err != nil {
				t.Fatal(err)
			}
			s, err := snapshot.Read(a)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, f := range check.Run(s, All(), check.Options{}).Findings {
				if f.Severity > check.Warning {
					t.Errorf("%s is %s on a fresh instance", f.ID, f.Severity)
				}
				fmt.Fprintf(&b, "%s %s: %s\n", f.Severity, f.ID, f.Seen)
			}
			file, got := "testdata/default/"+name+".txt", b.String()
			if golden.Updating() {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the findings are others (-want +got):\n%s", diff)
			}
		})
	}
}
