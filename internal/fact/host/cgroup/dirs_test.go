package cgroup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCGroupDirs(t *testing.T) {
	const v1 = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n35 31 0:31 / /sys/fs/cgroup/memory rw,relatime - " +
		"cgroup cgroup rw,memory\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
	const v2 = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	for _, c := range []struct {
		name, mounts, group string
		version             int
		want                []string
	}{
		{"version 1 beside an empty version 2", v1, "4:memory:/a/b\n0::/\n",
			1, []string{"sys/fs/cgroup/memory/a/b", "sys/fs/cgroup/memory/a", "sys/fs/cgroup/memory"}},
		{"version 2", v2, "0::/user.slice/s.scope\n", 2, []string{"sys/fs/cgroup/user.slice/s.scope",
			"sys/fs/cgroup/user.slice", "sys/fs/cgroup"}},
		{"only a part of the hierarchy is mounted",
			"1 0 0:1 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "4:memory:/docker/x\n",
			1, []string{"sys/fs/cgroup/memory"}},
		{"the controller is bound to version 1 and not mounted", v2, "4:memory:/a\n0::/\n", 0, nil},
		{"no hierarchy", "1 0 0:1 / / rw - ext4 /dev/vda rw\n", "0::/\n", 0, nil},
		{"no membership", v2, "", 0, nil},
		{"no mounts", "what\n", "0::/\n", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			version, dirs, err := Dirs("memory", []byte(c.mounts), []byte(c.group))
			if d := cmp.Diff(c.want, dirs); d != "" || version != c.version || (err != nil) != (c.want == nil) {
				t.Errorf("version %d, %v\n%s", version, err, d)
			}
		})
	}
}
