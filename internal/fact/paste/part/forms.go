package part

import "github.com/pgfettle/pgfettle/internal/base/regex"

// What several rooms look for.

// HostName is the name of a host, alone.
var HostName = regex.New(`^[a-zA-Z0-9][\w.-]{0,254}$`)

// KernelRelease is the release of a kernel, alone.
var KernelRelease = regex.New(`^\d+\.\d+\.\d+[\w.+~-]*$`)

// KernelParam is the name of a kernel parameter, which may have a star.
var KernelParam = regex.New(`^(?:vm|kernel|fs|net|dev)\.[\w.*-]+$`)

// TableRule is the rule below the head of a table; pages make | of +.
var TableRule = regex.New(`^\|?[-:=]{2,}[-+|:=\s]*$`)
