// Package configuration holds the checks of configuration files and of settings of sessions, roles and the log.
// One file per check; the engine is internal/judge/check.
package configuration
