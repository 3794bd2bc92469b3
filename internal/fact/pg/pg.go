// Package pg turns what a PostgreSQL server answered into typed facts: one
// file a topic. A query is a runnable file of sql/, named NAME_FROM.sql where
// FROM is the first major version it is for; its answer lies in the evidence
// as pg/KEY/NAME.json, in the form of Rows. A query that failed is a missing
// file whose reason is the server's message and whose reveal names the right.
package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Server is what one PostgreSQL server said of itself over SQL.
type Server struct {
	Version      known.Fact[unit.Version]  `json:"version"` // from settings (server_version_num)
	Product      Product                   `json:"product,omitzero"`
	Access       known.Fact[Access]        `json:"access"`        // access.json
	Settings     known.Fact[Settings]      `json:"settings"`      // settings.json
	FileSettings known.Fact[[]FileSetting] `json:"file_settings"` // file_settings.json; superuser only
	RoleSettings known.Fact[[]RoleSetting] `json:"role_settings"` // role_settings.json
	Databases    known.Fact[[]Database]    `json:"databases"`     // databases.json
	// shared.json: pages of the shared catalogs with a wrong checksum; absent without checksums
	SharedFails known.Fact[int64]          `json:"shared_fails"`
	Tablespaces known.Fact[[]Tablespace]   `json:"tablespaces"` // tablespaces.json
	Extensions  known.Fact[[]Extension]    `json:"extensions"`  // extensions.json; of the database connected to
	Activity    known.Fact[Activity]       `json:"activity"`    // activity.json
	Backends    known.Fact[[]Backend]      `json:"backends"`    // sessions.json: pg_stat_activity by process
	Checkpoints known.Fact[Checkpoints]    `json:"checkpoints"` // checkpoints.json
	WAL         known.Fact[WAL]            `json:"wal"`         // wal.json; 14+
	WALDir      known.Fact[WALDir]         `json:"wal_dir"`     // waldir.json
	IO          known.Fact[[]IO]           `json:"io"`          // io.json; 16+
	Archiver    known.Fact[Archiver]       `json:"archiver"`    // archiver.json
	Replicas    known.Fact[[]Replica]      `json:"replicas"`    // replicas.json: pg_stat_replication
	Slots       known.Fact[[]Slot]         `json:"slots"`       // slots.json
	Prepared    known.Fact[[]PreparedXact] `json:"prepared"`    // prepared.json
	Shmem       known.Fact[[]ShmemPart]    `json:"shmem"`       // shmem.json: pg_shmem_allocations
	Control     known.Fact[Control]        `json:"control"`     // control.json
	Recovery    known.Fact[bool]           `json:"recovery"`    // control.json: pg_is_in_recovery()
	// buffercache.json; 16+, where the extension is there
	BufferCache known.Fact[BufferCache]    `json:"buffer_cache"`
	Spills      known.Fact[Spills]         `json:"spills"`           // spills.json; where pg_stat_statements is there
	HBA         known.Fact[[]HBARule]      `json:"hba"`              // hba.json; superuser only
	Passwords   known.Fact[[]PasswordKind] `json:"passwords"`        // passwords.json; superuser only
	Libraries   known.Fact[[]Library]      `json:"libraries"`        // libraries.json; superuser only
	Decoding    known.Fact[[]Decoding]     `json:"decoding"`         // decoding.json; 14+
	Controlled  known.Fact[[]Controlled]   `json:"controlled"`       // pg_controldata; of a standby
	Upgrade     known.Fact[Upgrade]        `json:"upgrade"`          // upgrade.json: for a later major version
	Deep        Deep                       `json:"deep"`             // deep_*.json; only with --deep
	OneC        known.Fact[OneC]           `json:"onec,omitzero"`    // onec.json: signs of 1C:Enterprise
	Silence     Silence                    `json:"silence,omitzero"` // what was asked and not answered
}

// Read reads the answers of the server with the given evidence key.
func Read(fsys fs.FS, key string) Server {
	s := Server{
		Access:       ReadAccess(fsys, key),
		Settings:     ReadSettings(fsys, key),
		FileSettings: ReadFileSettings(fsys, key),
		RoleSettings: ReadRoleSettings(fsys, key),
		Databases:    ReadDatabases(fsys, key),
		SharedFails:  ReadSharedFails(fsys, key),
		Tablespaces:  ReadTablespaces(fsys, key),
		Extensions:   ReadExtensions(fsys, key),
		Activity:     ReadActivity(fsys, key),
		Backends:     ReadBackends(fsys, key),
		Checkpoints:  ReadCheckpoints(fsys, key),
		WAL:          ReadWAL(fsys, key),
		WALDir:       ReadWALDir(fsys, key),
		IO:           ReadIO(fsys, key),
		Archiver:     ReadArchiver(fsys, key),
		Replicas:     ReadReplicas(fsys, key),
		Slots:        ReadSlots(fsys, key),
		Prepared:     ReadPrepared(fsys, key),
		Shmem:        ReadShmem(fsys, key),
		Control:      ReadControl(fsys, key),
		BufferCache:  ReadBufferCache(fsys, key),
		Spills:       ReadSpills(fsys, key),
		HBA:          ReadHBA(fsys, key),
		Passwords:    ReadPasswords(fsys, key),
		Libraries:    ReadLibraries(fsys, key),
		Decoding:     ReadDecoding(fsys, key),
		Controlled:   ReadControlled(fsys, key),
		Upgrade:      ReadUpgrade(fsys, key),
		Deep:         ReadDeep(fsys, key),
		OneC:         readOneC(fsys, key),
		Silence:      ReadSilence(fsys, key),
	}
	s.Recovery = known.Map(s.Control, func(c Control) bool { return c.InRecovery })
	s.Version = known.Try(s.Settings, "server_version_num", Settings.version)
	if list, ok := s.Settings.Get(); ok && list["server_version_num"].Value == "" {
		s.Version = known.Missed[unit.Version](known.Gap{Fact: "server_version_num",
			Reason: "the settings do not have it",
			Reveal: "SELECT version(); returns it"})
	}
	s.Product = productOf(fsys, key, &s)
	return s
}
