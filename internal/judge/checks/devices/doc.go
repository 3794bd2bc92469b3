// Package devices holds the checks of block devices under the data: queues, RAID, LVM, caches and what a disk
// reports.
// One file a check; the engine is internal/judge/check.
package devices
