// Package configuration holds the checks of what is wrong in the configuration files and in what sessions, roles and
// the log are set to.
// One file a check; the engine is internal/judge/check.
package configuration
