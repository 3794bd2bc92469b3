package host

import (
	"bytes"
	"io/fs"
	"strings"
)

// cgroupMarks are pieces of the cgroup path of process 1, and of the mounts that a runtime lays over a container's
// files, with the container that they mean. A pod's paths name its runtime too, so kubernetes goes first.
var cgroupMarks = []struct{ mark, kind string }{
	{"/kubepods", "kubernetes"}, {"/kubelet/pods/", "kubernetes"}, {"/secrets/kubernetes.io/", "kubernetes"},
	{"/libpod", "podman"}, {"/overlay-containers/", "podman"},
	{"/docker/", "docker"}, {"/docker-", "docker"},
	{"/lxc/", "lxc"}, {"/lxc.payload", "lxc"},
	{"/machine.slice/systemd-nspawn@", "systemd-nspawn"},
}

// containerOf returns the container that the evidence was taken in, "" for none. What the manager itself says goes
// first. The file /.dockerenv stays behind when an image becomes a machine's disk, so it counts only if process 1 or
// the mounts agree.
func containerOf(fsys fs.FS) string {
	for _, name := range []string{"run/systemd/container", "run/host/container-manager"} {
		if s := firstWord(word(fsys, name)); s != "" {
			return s
		}
	}
	environ, _ := fs.ReadFile(fsys, "proc/1/environ")
	for _, v := range bytes.Split(environ, []byte{0}) {
		if c, ok := bytes.CutPrefix(v, []byte("container=")); ok && len(c) < MaxWord {
			return firstWord(strings.Map(printable, string(c)))
		}
	}
	cgroup, _ := fs.ReadFile(fsys, "proc/1/cgroup")
	for _, m := range cgroupMarks {
		if strings.Contains(string(cgroup), m.mark) {
			return m.kind
		}
	}
	mounts, _ := ReadMounts(fsys).Get()
	if k := containerMounts(mounts); k != "" {
		return k
	}
	if Exists(fsys, "run/.containerenv") {
		return "podman"
	}
	if Exists(fsys, ".dockerenv") && rootOverlay(mounts) {
		return "docker"
	}
	return ""
}

// containerMounts looks at the files that runtimes mount from their own directory into every container (/etc/hostname
// and its like), at a pod's service account, and at lxcfs over /proc.
func containerMounts(mounts []Mount) string {
	found := ""
	for _, m := range mounts {
		switch {
		case m.FSType == "fuse.lxcfs" && strings.HasPrefix(m.Point, "/proc/"):
			found = "lxc"
		case m.Point == "/etc/hostname" || m.Point == "/etc/hosts" || m.Point == "/etc/resolv.conf" ||
			strings.HasSuffix(m.Point, "/secrets/kubernetes.io/serviceaccount"):
			for _, c := range cgroupMarks {
				if strings.Contains(m.Root, c.mark) || strings.Contains(m.Point, c.mark) {
					if c.kind == "kubernetes" {
						return c.kind
					}
					found = c.kind
				}
			}
		}
	}
	return found
}

func rootOverlay(mounts []Mount) bool {
	overlay := false
	for _, m := range mounts {
		if m.Point == "/" { // the last one is on top
			overlay = m.FSType == "overlay" || m.FSType == "aufs" || m.FSType == "fuse.fuse-overlayfs"
		}
	}
	return overlay
}

// Exists reports whether a file is in the evidence.
func Exists(fsys fs.FS, name string) bool {
	_, err := fs.ReadFile(fsys, name)
	return err == nil
}

func firstWord(s string) string {
	f := strings.Fields(s)
	if len(f) == 0 {
		return ""
	}
	return f[0]
}
