// Package storage holds the checks of filesystems and mounts under the data, their room, and how the server writes to
// them. One file a check; the engine is internal/judge/check.
package storage
