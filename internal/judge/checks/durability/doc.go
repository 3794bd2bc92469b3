// Package durability holds the checks of settings and storage by which a crash would lose or damage data.
// One file a check; the engine is internal/judge/check.
package durability
