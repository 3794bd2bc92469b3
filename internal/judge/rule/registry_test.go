package rule_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/pgfettle/pgfettle/internal/gen/literals"
)

func TestRegistryIsCurrent(t *testing.T) {
	want, err := literals.Render(os.DirFS("."), "rule", "Rule", "Address")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(literals.File)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the files of this folder say: run go generate in it", literals.File)
	}
}
