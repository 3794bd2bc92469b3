package conftext

import "testing"

// What a plan of Terraform takes away is not set any more, and of a change the new value counts.
func TestPlanned(t *testing.T) {
	got := Read(`  # aws_db_parameter_group.main will be updated in-place
  ~ resource "aws_db_parameter_group" "main" {
        name = "main"

      + parameter {
          + name  = "work_mem"
          + value = "65536"
        }
      - parameter {
          - name  = "max_connections" -> null
          - value = "500" -> null
        }
      ~ parameter {
            name  = "wal_buffers"
          ~ value = "2048" -> "4096"
        }
    }

Plan: 0 to add, 1 to change, 0 to destroy.
`)
	want := map[string]string{"work_mem": "65536", "wal_buffers": "4096"}
	if len(got.Settings) != len(want) {
		t.Errorf("%d settings, want %d: %v", len(got.Settings), len(want), got.Settings)
	}
	for _, s := range got.Settings {
		if want[s.Name] != s.Value {
			t.Errorf("%s = %s, want %s", s.Name, s.Value, want[s.Name])
		}
	}
}
