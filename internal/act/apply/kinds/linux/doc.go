// Package linux holds the kinds of the host's knobs: kernel parameters (sysctl:),
// files of /sys (thp:, block:), the kernel's command line (boot:), options of mounts
// (mount:), and properties of systemd units (unit:).
//
// Each kind has two parts. The persistent one is a line of a file under /etc, which a
// form (keyed, or one written for the file) reads, sets and takes out again without
// touching any other line; files that are ours alone are named 60-pgfettle. The live
// one is the kernel's own file, or what a program such as systemctl says. A tree of
// files, as under --root, has the first part alone: Host.Kernel is nil then.
//
// The pool of huge pages is a kernel parameter that is set with more care, as the
// kernel gives what it has and says nothing: hugepages.go.
package linux
