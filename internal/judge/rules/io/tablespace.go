package io

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// kindOf is what the disks under a place are, if that is known.
func kindOf(c *rule.Case, p snapshot.Place) (s rule.Storage, why say.Message, ok bool) {
	device := p.Device
	if m, mounted := c.Snapshot.MountOf(p.Path); mounted {
		if m.FSType == "tmpfs" || slices.Contains(rule.NetworkFS, m.FSType) {
			return "", why, false
		}
		if device == "" {
			device = m.Device
		}
	}
	s, why, reason := c.StorageUnderDevice(device)
	return s, why, reason.IsZero()
}

// bareIdentifier is a name that SQL takes as it is. A keyword among them is one too where only names are allowed.
var bareIdentifier = regex.New(`^[a-z_][a-z0-9_]*$`)

// identifier spells a name as SQL takes it.
func identifier(name string) string {
	if bareIdentifier.MatchString(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
