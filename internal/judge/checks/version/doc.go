// Package version holds the checks of outdated versions, end of life, and incompatibilities of later versions.
// One file per check; the engine is internal/judge/check.
package version
