// Package security holds the checks of who may connect and how, and instances that root must not trust.
// One file a check; the engine is internal/judge/check.
package security
