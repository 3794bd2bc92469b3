package setting

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// Version is a version of PostgreSQL or the major alone, where no more was said.
func Version(s string) (part.Fact, bool) {
	c := strings.Split(s, ".")
	n, ok := amount.Whole(c[0])
	parts := 2 // of a whole version
	if n < 10 {
		parts = 3
	}
	switch {
	case !ok || n < 8 || n > 30 || len(c) < parts-1:
		return part.Fact{}, false
	case len(c) < parts:
		return part.Word("server.major", "", s), true
	}
	return part.Word("server.version", "", strings.Join(c[:parts], ".")), true
}

// VersionNumber reads "16.3" and "9.6.24" as server_version_num has them.
func VersionNumber(s string) (int, bool) {
	var major, minor, patch int
	s, _, _ = strings.Cut(s, " ")
	switch n, _ := fmt.Sscanf(s, "%d.%d.%d", &major, &minor, &patch); {
	case n == 0 || major < 8 || major > 99:
		return 0, false
	case major < 10:
		return major*10000 + minor*100 + patch, true
	}
	return major*10000 + minor, true
}
