package pg

import (
	"encoding/json"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Start is what an instance whose server does not run would meet at its next
// start: each part is a document pg/KEY/start_PART.json of the collector's. Of a
// server that runs there is none of it. The settings of such an instance come from
// its configuration files: FromFiles.
type Start struct {
	DataDir known.Fact[StartDataDir]  `json:"data_directory,omitzero"`
	Config  known.Fact[StartConfig]   `json:"configuration,omitzero"`
	Program known.Fact[StartProgram]  `json:"program,omitzero"`
	Control known.Fact[StartControl]  `json:"control,omitzero"`
	Lock    known.Fact[StartLock]     `json:"lock,omitzero"`
	Sockets known.Fact[StartSockets]  `json:"sockets,omitzero"`
	Folders known.Fact[[]StartFolder] `json:"folders,omitzero"`
	Shm     known.Fact[StartFolder]   `json:"shm,omitzero"` // /dev/shm, where the account has to make files
}

// StartDataDir is who may do what in the data directory.
type StartDataDir struct {
	Path     string   `json:"path"`
	Mode     string   `json:"mode"` // permission bits: "0700"
	UID      int      `json:"uid"`
	Owner    string   `json:"owner"`              // name, or "user 1001"
	User     string   `json:"user,omitempty"`     // that the service starts the server as; "": not known
	Closed   string   `json:"closed,omitempty"`   // why its owner does not get to it: "/srv: permission denied"
	Unopened []string `json:"unopened,omitempty"` // files in it that its owner may not open, each with the reason
}

// StartConfig is how the configuration files read.
type StartConfig struct {
	File   string        `json:"file"`  // postgresql.conf
	Files  []string      `json:"files"` // all that were read
	Faults []ConfigFault `json:"faults"`
}

// ConfigFault is what the server would not take.
type ConfigFault struct {
	File   string `json:"file,omitempty"` // "": the program did not say which line it is about
	Line   int    `json:"line,omitempty"` // from 1; 0: the file as a whole
	Name   string `json:"name,omitempty"` // of the setting
	Reason string `json:"reason"`
}

// StartProgram is the installed program that would run the server.
type StartProgram struct {
	Cluster string       `json:"cluster"`          // what PG_VERSION says: "16"
	Path    string       `json:"path"`             // of postgres; "": none of the cluster's major was found
	Named   string       `json:"named,omitempty"`  // what names it: postmaster.opts or the unit; "": it was looked for
	Version unit.Version `json:"version"`          // 0: not known
	Shared  unit.Bytes   `json:"shared,omitempty"` // shared memory that it would ask the kernel for; 0: it did not say
	Pages   int64        `json:"pages,omitempty"`  // the same in huge pages; 0: it did not say
	// versions that are installed, where none is of the data directory's major
	Others []string `json:"others,omitempty"`
}

// StartControl is what pg_controldata prints, or of pg_control what does not
// depend on the version.
type StartControl struct {
	State     string     `json:"state"` // as pg_controldata words it
	System    string     `json:"system_identifier"`
	Clean     bool       `json:"clean"`                 // it was shut down
	Segment   unit.Bytes `json:"wal_segment,omitempty"` // 0: not known
	Checksums *bool      `json:"checksums,omitempty"`
}

// StartLock is postmaster.pid; PID is 0 where there is no such file.
type StartLock struct {
	File     string `json:"file"`
	PID      int    `json:"pid"`
	Live     bool   `json:"live"`              // a process of the same account has this id now
	Program  string `json:"program,omitempty"` // its name
	DataDir  string `json:"data_directory,omitempty"`
	Segment  int    `json:"segment,omitempty"`  // id of the shared memory that the file names
	Attached int64  `json:"attached,omitempty"` // processes that still use it
	Fault    string `json:"fault,omitempty"`    // why the file cannot be used: empty, closed
}

// StartSockets is where the server would listen, and who is in the way.
type StartSockets struct {
	Port      int             `json:"port"`
	Addresses []string        `json:"addresses"` // of TCP, names looked up; one that is no address could not be
	Listeners []StartListener `json:"listeners"` // at this port, on any address
	Unix      []StartUnix     `json:"unix"`
}

// StartListener is a socket that listens already.
type StartListener struct {
	Address string `json:"address"`
	UID     int    `json:"uid"`
	PID     int    `json:"pid,omitempty"`     // 0: only root sees it
	Program string `json:"program,omitempty"` // its name
}

// StartUnix is a folder of unix_socket_directories.
type StartUnix struct {
	Folder string `json:"folder"`
	Fault  string `json:"fault,omitempty"` // why no file can be made there
	// a lock file that is in the way: held by PID, or not the account's to remove
	Lock    string `json:"lock,omitempty"`
	PID     int    `json:"pid,omitempty"`     // of the account, named by it, and alive
	Program string `json:"program,omitempty"` //
	Closed  bool   `json:"closed,omitempty"`  // another account's
}

// StartFolder is a folder that has to be there.
type StartFolder struct {
	What  string     `json:"what"`            // wal, tablespace, data, shm
	Path  string     `json:"path"`            // in the data directory
	To    string     `json:"to,omitempty"`    // where a link leads
	Fault string     `json:"fault,omitempty"` // why it cannot be entered
	Free  unit.Bytes `json:"free"`            // that an ordinary user may still take; -1: not known
}

// Parts of Start, as their documents are named.
const (
	StartDataDirPart = "start_data_directory"
	StartConfigPart  = "start_configuration"
	StartProgramPart = "start_program"
	StartControlPart = "start_control"
	StartLockPart    = "start_lock"
	StartSocketsPart = "start_sockets"
	StartFoldersPart = "start_folders"
	StartShmPart     = "start_shm"
)

// ReadStart reads the documents on an instance that does not run.
func ReadStart(fsys fs.FS, key string) Start {
	return Start{
		DataDir: startPart[StartDataDir](fsys, key, StartDataDirPart),
		Config:  startPart[StartConfig](fsys, key, StartConfigPart),
		Program: startPart[StartProgram](fsys, key, StartProgramPart),
		Control: startPart[StartControl](fsys, key, StartControlPart),
		Lock:    startPart[StartLock](fsys, key, StartLockPart),
		Sockets: startPart[StartSockets](fsys, key, StartSocketsPart),
		Folders: startPart[[]StartFolder](fsys, key, StartFoldersPart),
		Shm:     startPart[StartFolder](fsys, key, StartShmPart),
	}
}

func startPart[T any](fsys fs.FS, key, part string) known.Fact[T] {
	return evidence.Read(fsys, Path(key, part), func(b []byte) (out T, err error) {
		err = json.Unmarshal(b, &out)
		return out, err
	})
}
