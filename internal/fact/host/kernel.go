package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// OS is /etc/os-release.
type OS struct {
	ID      string `json:"id"`      // debian, ubuntu, rhel, …
	Like    string `json:"like"`    // ID_LIKE
	Version string `json:"version"` // VERSION_ID; may be empty (rolling releases)
	Name    string `json:"name"`    // PRETTY_NAME
}

// Init says what runs as process 1.
type Init struct {
	Comm    string `json:"comm"`    // proc/1/comm
	Systemd bool   `json:"systemd"` // /run/systemd/system exists: the host was booted with systemd (recorded in host.json)
}

// ReadName
func ReadName(fsys fs.FS) known.Fact[string] { panic("ReadName: to be written") }

// ReadKernel
func ReadKernel(fsys fs.FS) known.Fact[unit.Kernel] { panic("ReadKernel: to be written") }

// ReadOS
func ReadOS(fsys fs.FS) known.Fact[OS] { panic("ReadOS: to be written") }

// ReadCmdLine
func ReadCmdLine(fsys fs.FS) known.Fact[[]string] { panic("ReadCmdLine: to be written") }

// ReadInit
func ReadInit(fsys fs.FS) known.Fact[Init] { panic("ReadInit: to be written") }

// ReadTuned
func ReadTuned(fsys fs.FS) known.Fact[string] { panic("ReadTuned: to be written") }

// ReadPageSize
func ReadPageSize(fsys fs.FS) known.Fact[unit.Bytes] { panic("ReadPageSize: to be written") }
