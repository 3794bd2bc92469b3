package gapwords

import "github.com/pgfettle/pgfettle/internal/base/say"

// Of a value that cannot be set, and of what the host made of one.
var ofValues = []say.Template{
	"right to ALTER SYSTEM",
	"{name} through the server",
	"not UTF-8 text, which a journal could not give back byte for byte",
	"where it is to lead is not known",
	"no line that starts a kernel",
	"no arguments of the kernel",
	"no field of options",
	"lines {line} and {other} both mount {path}",
	"there is no such file",
	"0 only says that {name} rules: set that one",
	"{value} cannot stand in a configuration file",
	"{value} is not a field of options",
	"{value} is not a number of pages",
	"{value} is not a value for the kernel's command line",
	"{value} is not a value of a file of /sys",
	"{value} is not a value of a unit",
	"{value} is not a value of it",
	"{value} is not one of its values",
	"{value} is not the name of a service",
	"it is not known which server has it",
	"it is not known which unit runs the instance {instance}",
	"no unit is named whose property it is",
	"systemd shows no property {name}",
	"asked for {name}={value}, systemd has {other}",
	"{reason}: one of its drop-ins sets it too ({names})",
	"this kernel has no volume of device mapper named {name}: {reason}",
	"this kernel has no {path}: {reason}",
	"the entry {name} cannot be read",
	"the command line has {value}, and which size is counted depends on the order: change it by hand",
	"{path} has {value}, and which size is counted depends on the order: change it by hand",
	"{path} has {value}, and kernels to come would have {other}: make them agree, and say it once",
	"the running kernel was started with {value}, and no {path} says so: write it there first",
	"asked for {value}, the next boot would have {other}: another word of the command line comes later " +
		"(GRUB_CMDLINE_LINUX_DEFAULT in {path}, or a file of {path}.d)",
	"the kernels of this host are unified images (EFI/Linux), whose command line is within the image: add " +
		"{name}=VALUE where they are built (/etc/kernel/cmdline with ukify, or /etc/cmdline.d) and build them anew",
	"neither Debian's GRUB nor grubby nor an entry of systemd-boot for this machine is here: add {name}=VALUE to " +
		"the kernel's command line by hand",
}

// Of a server that is asked, signalled, stopped or started.
var ofServers = []say.Template{
	"lock file: {reason}",
	"fields are missing",
	"SIGHUP to process {pid}: {reason}",
	"{path} line {line}: {reason}",
	"account of {dir}: {reason}",
	"how the server was started: {reason}",
	"where the server's messages go: {reason}",
	"not the command line of a server",
	"the server's own account of itself",
	"the server is not to be asked",
	"whether a base backup is taken could not be asked, and the stop would end one: {reason}",
	"settings of the command line: {reason}",
	"configuration of the server: {reason}",
}

// Of files and directories that are written, copied or compared.
var ofWriting = []say.Template{
	"folder of {path}: {reason}",
	"folder: {reason}",
	"owner of {name}: {reason}",
	"copy: {reason}",
	"{name} changed while it was copied: {n} bytes, and {most} before",
	"{name} and {other} hold other names: {n} and {most}",
	"{before} of {n} bytes, and {other} of {most} in the copy",
	"{reason}: more than {n} entries or {most} levels of folders",
	"the kernel took {n} of {most} bytes",
	"the rights of user {uid}: the kernel gives those of {other}",
	"{name} is not run as root: {reason}",
	"marked immutable or append-only",
	"a file of another account, which the account of the instance could not replace",
	"the filesystem cannot exchange two names in one step",
	"the filesystem of the WAL, or that of its new place, is not among the mounts",
	"{reason} (ZFS before 2.2, NFS): a crash between two steps would leave a server without its WAL, so it is left " +
		"to be moved by hand, with the server stopped",
	"note of the move: {reason}",
	"a move to where it is",
	"the place {value}, which no move would take",
}

// Of the programs of a server that are asked.
var ofPrograms = []say.Template{
	"server binary: {reason}",
	"server binaries: {reason}",
	"server binaries: {binaries}, but the server runs {version}",
	"server binaries: none of PostgreSQL {major} found",
	"it lies in a container, out of which it is not run",
	"only shown to superusers and members of pg_read_all_settings",
	"account of the instance: {reason}",
	"version of the server: {reason}",
	"settings of the server: {reason}",
	"version of {path}: {reason}",
	"{value} is not the version of a PostgreSQL server",
	"{value} is not a version of PostgreSQL",
	"control file: {reason}",
	"shadow data directory: {reason}",
	"private temporary folder: {reason}",
	"not open to an unprivileged user",
	"too long for a socket",
	"unprivileged user: there is neither postgres nor nobody, and PostgreSQL does not run as root",
	"setting {name}: not something that postgresql.conf can hold",
	"{name} = {value}: not a number of its base unit",
	"answered {value}",
	"postgres under an address-space limit: answered {value} bytes",
	"postgres under an address-space limit: no size of its request told",
	"the data directory belongs to root, as which no program of a server is run",
	"the first line is no process id",
}

// Of an evidence or a history that cannot be read.
var ofStored = []say.Template{
	"history {file}: {reason}",
	"no history found",
	"not a history file of pgfettle",
	"the history was written by a newer pgfettle",
	"the file is empty",
	"text after the end",
	"text before the first entry",
	"a line that begins like an entry has no end",
	"larger than {size}",
	"the first line does not name the format; is this a file that 'pgfettle snapshot' wrote?",
	"format {value} is not {other}; use the pgfettle that wrote it",
	"{name} appears twice",
	"more than {n} entries",
	"more than {size}",
	"more than {n} missing files",
	"the file is cut off: its last line, «{name}», is missing",
	"{value} is not a usable name",
	"bad escape",
}
