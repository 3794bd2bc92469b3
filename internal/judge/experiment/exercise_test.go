package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestExperimentsAreWhole verifies that each has its words, two configurations that can be read and differ, and a
// metric that may decide.
func TestExperimentsAreWhole(t *testing.T) {
	for _, e := range Exercises() {
		for what, text := range map[string]string{"title": e.Title.English(), "question": e.Question.English(),
			"workload": e.Workload,
			"told":     e.Told.English(), "expect": e.Expect.English(),
			"caution": e.Caution.English()} {
			if text == "" {
				t.Errorf("%s has no %s", e.Name, what)
			}
		}
		if !slices.Contains(PrimaryMetrics(), e.Metric) {
			t.Errorf("%s: %q decides nothing", e.Name, e.Metric)
		}
		if (e.Times > 0) == (e.Scale > 0) {
			t.Errorf("%s: one of Times and Scale says how large the database is", e.Name)
		}
		var configs [2]Configuration
		one, two := e.Configurations(24 * unit.GB)
		for i, text := range []string{one, two} {
			if strings.ContainsAny(text, "{}") {
				t.Errorf("%s: %s is not filled in", e.Name, text)
			}
			s, err := ParseConfiguration(text)
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			if configs[i], err = NewConfiguration(s, nil, nil); err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
		}
		for _, major := range []int{13, 15, 18} {
			if d := Differences(&configs[0], &configs[1], major); len(d) != 1 {
				t.Errorf("%s on %d: the configurations differ in %v, and one thing is to be learned", e.Name, major, d)
			}
		}
		if found, ok := FindExercise(e.Name); !ok || !found.Title.Equal(e.Title) {
			t.Errorf("%s is not found", e.Name)
		}
	}
	if _, ok := FindExercise("fsync"); ok {
		t.Error("half a name is found")
	}
}

// TestFsyncOffIsNeverRecommended verifies that an experiment that weakens durability says so before anybody reads its
// figure.
func TestFsyncOffIsNeverRecommended(t *testing.T) {
	for _, e := range Exercises() {
		s, err := ParseConfiguration(e.B)
		if err != nil {
			t.Fatal(err)
		}
		a, err := NewConfiguration(s, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		weak := len(a.Cautions()) > 0
		if said := strings.Contains(e.Caution.English(), "never"); weak != said {
			t.Errorf("%s weakens durability: %t; its caution says never: %t", e.Name, weak, said)
		}
	}
}

func TestConfigurationsFitTheMachine(t *testing.T) {
	e, _ := FindExercise("huge-pages")
	for memory, want := range map[unit.Bytes]string{8 * unit.GB: "shared_buffers=2048MB",
		64 * unit.GB: "shared_buffers=8192MB"} {
		if a, b := e.Configurations(memory); !strings.Contains(a, want+",") || !strings.Contains(b, want+",") {
			t.Errorf("%s: %s, %s", memory, a, b)
		}
	}
}
