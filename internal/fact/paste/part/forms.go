package part

import "github.com/pgfettle/pgfettle/internal/base/regex"

// What several rooms look for.

// rePseudo is what holds no data: what the kernel shows, and single files that a container is given.
var rePseudo = regex.New(`^/(?:proc|sys)(?:/|$)|^/etc/(?:hosts|hostname|resolv\.conf)$|^/dev/(?:nvidia|dri|` +
	`termination-log)|` +
	`^/snap/|^/run/(?:secrets|credentials)/|^/var/lib/(?:docker|containerd|kubelet)/.*/(?:shm|merged|secrets?)(?:/|$)`)

// Pseudo says whether a mount point is of such a thing.
func Pseudo(at string) bool { return rePseudo.MatchString(at) }

// HostName is the name of a host, alone.
var HostName = regex.New(`^[a-zA-Z0-9][\w.-]{0,254}$`)

// KernelRelease is the release of a kernel, alone.
var KernelRelease = regex.New(`^\d+\.\d+\.\d+[\w.+~-]*$`)

// KernelParam is the name of a kernel parameter, which may have a star.
var KernelParam = regex.New(`^(?:vm|kernel|fs|net|dev)\.[\w.*-]+$`)

// TableRule is the rule below the head of a table; pages make | of +.
var TableRule = regex.New(`^\|?[-:=]{2,}[-+|:=\s]*$`)
