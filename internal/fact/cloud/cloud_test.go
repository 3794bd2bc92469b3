package cloud

import "testing"

// TestInstances verifies that names of instance types tell their CPUs and memory, and that other words do not.
func TestInstances(t *testing.T) {
	for text, want := range map[string]int{
		"db.r6g.large": 1, "runs on m5.2xlarge": 1, "db-custom-4-16384": 1, "n2-highmem-8": 1,
		"Standard_D4s_v5": 1, "postgresql.conf": 0, "16.3": 0, "an example.large file": 0,
	} {
		if got := Instances(text); len(got) != want {
			t.Errorf("Instances(%q) = %v, want %d", text, got, want)
		}
	}
}
