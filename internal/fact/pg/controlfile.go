package pg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
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

// ControlFile is what global/pg_control holds at its head, which no version since
// 10 has changed, and what stands there of the way the cluster was made.
type ControlFile struct {
	System    uint64 // system identifier
	State     ClusterState
	Segment   int64 // bytes of a WAL segment; 0: not found
	Checksums bool  // of data pages; told where Segment is
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
	c.made(b)
	return c, nil
}

// The file tells how the cluster was made behind a number that is there to be
// recognized, FLOATFORMAT_VALUE: 32-bit block size, blocks of a file, WAL block
// size, WAL segment size, length of names, and five more; then the version of the
// checksums. 13 to 18 have these in one order, at places of their own.
const (
	floatMark    = 1234567.0
	toBlockSize  = 8
	toSegment    = toBlockSize + 3*4
	toNameLength = toSegment + 4
	toChecksums  = toNameLength + 5*4
)

func (c *ControlFile) made(b []byte) {
	order := binary.NativeEndian
	for at := 0; at+toChecksums+4 <= crcLast; at += 8 {
		if math.Float64frombits(order.Uint64(b[at:])) != floatMark || order.Uint32(b[at+toNameLength:]) != 64 {
			continue
		}
		c.Segment, c.Checksums = int64(order.Uint32(b[at+toSegment:])), order.Uint32(b[at+toChecksums:]) != 0
		return
	}
}
