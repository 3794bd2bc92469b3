// Package service holds the checks of the service manager, limits, OOM kills and crashes.
// One file a check; the engine is internal/judge/check.
package service
