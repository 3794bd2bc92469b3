package pg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// ControlFileSize is how long global/pg_control is, PG_CONTROL_FILE_SIZE: its
// data and zeros.
const ControlFileSize = 8192

// ClusterState is DBState of src/include/catalog/pg_control.h: what the server
// last noted of itself.
type ClusterState int32

// The states.
const (
	Starting ClusterState = iota
	ShutDown
	ShutDownInRecovery
	ShuttingDown
	InCrashRecovery
	InArchiveRecovery
	InProduction
)

var clusterStates = []string{"starting up", "shut down", "shut down in recovery", "shutting down",
	"in crash recovery", "in archive recovery", "in production"}

// String is the state as pg_controldata words it.
func (s ClusterState) String() string {
	if s < 0 || int(s) >= len(clusterStates) {
		return fmt.Sprintf("state %d", int32(s))
	}
	return clusterStates[s]
}

// Clean says whether the server came to a clean end: nothing is to be replayed.
func (s ClusterState) Clean() bool { return s == ShutDown || s == ShutDownInRecovery }

// ControlFile is the head of global/pg_control, which no version since 10 has changed.
type ControlFile struct {
	System uint64 // system identifier
	State  ClusterState
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The checksum stands behind the last field, whose place depends on the version:
// 288 bytes in on 10 to 18. It is looked for around that, at multiples of its size.
const (
	crcFirst = 240
	crcLast  = 400
)

// ParseControlFile reads global/pg_control, in the byte order of the machine that
// reads it. A file whose checksum does not hold is an error: it may be half
// written, or of another architecture.
func ParseControlFile(b []byte) (ControlFile, error) {
	if len(b) < crcLast+4 || len(b) > ControlFileSize {
		return ControlFile{}, fmt.Errorf("pg_control: %d bytes, and it has %d", len(b), ControlFileSize)
	}
	order := binary.NativeEndian
	whole := false
	for at := crcFirst; at <= crcLast && !whole; at += 4 {
		whole = crc32.Checksum(b[:at], castagnoli) == order.Uint32(b[at:])
	}
	if !whole {
		return ControlFile{}, errors.New("pg_control: its checksum does not hold")
	}
	c := ControlFile{System: order.Uint64(b), State: ClusterState(order.Uint32(b[16:]))}
	if c.State < Starting || c.State > InProduction {
		return c, fmt.Errorf("pg_control: %s is not known", c.State)
	}
	return c, nil
}
