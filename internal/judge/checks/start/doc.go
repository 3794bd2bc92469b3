// Package start holds the checks of why an instance that is stopped would not start.
// One file a check; the engine is internal/judge/check.
package start
