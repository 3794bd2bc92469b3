package rule_test

import (
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/internal/gen/literals"
)

func TestRegistryIsCurrent(t *testing.T) {
	if err := literals.Current(os.DirFS("."), "rule", "Rule", "Address"); err != nil {
		t.Error(err)
	}
}
