package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// segments is the evidence name of the list of SysV shared memory.
const segments = "proc/sysvipc/shm"

// Segment is the SysV segment of an instance: all of its shared memory with shared_memory_type = sysv, else 56 bytes
// that keep a second postmaster out of the data directory. A postmaster creates its shared memory at startup, and
// again, with a new segment, after each crash of one of its processes.
type Segment struct {
	StartedAt int64 `json:"started_at"` // of the postmaster by its postmaster.pid, seconds since the epoch
	CreatedAt int64 `json:"created_at"` // of the segment by the kernel, by the same clock
}

// ReadSegment reads the row of proc/sysvipc/shm with an id that was made by the process creator. The list is that of
// the reader's own IPC namespace: a server in a container has its segment in another one, where the same ID may belong
// to any process.
func ReadSegment(fsys fs.FS, id, creator int) known.Fact[Segment] {
	f := evidence.Read(fsys, segments, func(b []byte) (Segment, error) { return ParseSegment(b, id, creator) })
	if s, ok := f.Get(); ok && s.CreatedAt == 0 {
		return known.Missed[Segment](known.Gap{Fact: segments,
			Reason: fmt.Sprintf(
				"segment %d of process %d is not in the list: the server runs in another IPC namespace, as in a "+
					"container, or is just restarting", id, creator)})
	}
	return f
}

// ParseSegment finds the row; CreatedAt is 0 if there is none. The columns go by their names in the first line.
func ParseSegment(b []byte, id, creator int) (Segment, error) {
	var s Segment
	at := map[string]int{}
	err := Lines(b, func(n int, line string) error {
		f := strings.Fields(line)
		if len(at) == 0 {
			for i, name := range f {
				at[name] = i
			}
			for _, name := range []string{"shmid", "cpid", "ctime"} {
				if _, ok := at[name]; !ok {
					return fmt.Errorf("no column %s", name)
				}
			}
			return nil
		}
		if len(f) < len(at) {
			return fmt.Errorf("line %d has %d columns", n, len(f))
		}
		if f[at["shmid"]] != strconv.Itoa(id) || f[at["cpid"]] != strconv.Itoa(creator) {
			return nil
		}
		t, err := ParseCount([]byte(f[at["ctime"]]))
		s.CreatedAt = t
		return err
	})
	return s, err
}
