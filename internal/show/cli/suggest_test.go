package cli

import (
	"strings"
	"testing"
)

func TestSplitPins(t *testing.T) {
	for text, want := range map[string]string{
		"pg:work_mem=64MB":                        "pg:work_mem=64MB",
		"pg:work_mem=64MB,sysctl:vm.swappiness=5": "pg:work_mem=64MB | sysctl:vm.swappiness=5",
		"pg:shared_preload_libraries=a,b,pg:work_mem=1MB": "pg:shared_preload_libraries=a,b | " +
			"pg:work_mem=1MB",
		"pg:log_line_prefix=%m, [%p] user=%u,sysctl:vm.swappiness=1": "pg:log_line_prefix=%m, [%p] user=%u | " +
			"sysctl:vm.swappiness=1",
		"nonsense,pg:work_mem=1MB": "nonsense | pg:work_mem=1MB",
	} {
		if got := strings.Join(splitPins(text), " | "); got != want {
			t.Errorf("splitPins(%q) = %q, want %q", text, got, want)
		}
	}
}
