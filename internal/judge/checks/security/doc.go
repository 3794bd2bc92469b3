// Package security holds the checks of authentication, encryption, and instances that root must not trust.
// One file per check; the engine is internal/judge/check.
package security
