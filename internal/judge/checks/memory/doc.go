// Package memory holds the checks of memory: too much of it allowed by the settings, or too little available.
// One file a check; the engine is internal/judge/check.
package memory
