package checks_test

import (
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/internal/gen/literals"
)

func TestRegistryIsCurrent(t *testing.T) {
	if err := literals.Current(os.DirFS("."),
		literals.Package{Path: "github.com/pgfettle/pgfettle/internal/judge/checks", Type: "check.Check",
			Key: "ID"}); err != nil {
		t.Error(err)
	}
}
