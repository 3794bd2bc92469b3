// Package wal holds the checks of WAL, checkpoints, archiving, replication slots and standbys.
// One file a check; the engine is internal/judge/check.
package wal
