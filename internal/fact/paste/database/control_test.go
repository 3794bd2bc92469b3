package database

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/paste/labels"
)

// TestLabels holds the labels of pg_controldata in each language that the catalogs have.
func TestLabels(t *testing.T) {
	for label, english := range labels.All().Control {
		key, _, ok := ControlLine(label + ":   1")
		if !ok || key != english && !strings.HasSuffix(key, " setting") && !strings.HasSuffix(key, "full_page_writes") {
			t.Errorf("%s is %q, want %q", label, key, english)
		}
	}
	// Chinese has one word for off and for shut down, Ukrainian one for two states.
	if v := labels.All().States["关闭"]; v != "shut down" {
		t.Errorf("关闭 is %q", v)
	}
	if v := labels.All().States["завершення роботи"]; v != "завершення роботи" {
		t.Errorf("a state with two meanings is %q", v)
	}
}
