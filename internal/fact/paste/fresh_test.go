package paste

import "testing"

// TestFresh holds forms that were met in tickets: each text, and the facts in it.
func TestFresh(t *testing.T) {
	type fact struct {
		name, of string
		want     any
	}
	const gb = int64(1 << 30)
	for _, c := range []struct {
		name, text string
		facts      []fact
	}{
		{"the head of mpstat, whose table is cut", "$ mpstat -P ALL\n" +
			"Linux 5.14.0-70-generic (db7) \t15.03.2022 \t_x86_64_\t(6 CPU)\n\n" +
			"19:41:06     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n" +
			"19:41:06     all    3,52    0,60    3,5\n",
			[]fact{{"cpu.logical", "", int64(6)}, {"kernel.release", "", "5.14.0-70-generic"}}},
		{"a loop over processes", "PID: 4711\n" +
			"Max open files            8192                 524288               files\nPID: 4712\n" +
			"Max open files            8192                 524288               files\n",
			[]fact{{"limit", "open_files", int64(8192)}}},
		{"grep in the limits", "$ grep 'open files' /proc/4711/limits\n" +
			"Max open files            1024                 4096                 files\n",
			[]fact{{"limit", "open_files", int64(1024)}}},
		{"a Java VM", "rlimit (soft/hard): STACK 8192k/infinity , CORE 0k/0k , NPROC 15000/15000 , NOFILE " +
			"65536/65536 , " +
			"AS infinity/infinity\n", []fact{{"limit", "open_files", int64(65536)}}},
		{"a disk with several mount points", "NAME     SIZE TYPE MOUNTPOINTS\nsda    100,5G disk \n" +
			"└─sda1  99,5G part /var/lib/store\n                   /nix\n                   /\n",
			[]fact{{"disk.mount", "sda1", "/"}}},
		{"a unit behind the time of a script", "[11-10-2025 10:00:00] ● postgresql@15-main.service - PostgreSQL " +
			"Cluster\n" +
			"     Loaded: loaded (/usr/lib/systemd/system/postgresql@.service; enabled-runtime; preset: enabled)\n" +
			"     Active: active (running) since Sat 2025-10-11 10:00:00 UTC; 9ms ago\n" +
			"   Main PID: 321 (postgres)\n      Tasks: 7 (limit: 999)\n     Memory: 50.0M (peak: 60.0M)\n",
			[]fact{{"unit.name", "", "postgresql@15-main.service"}, {"unit.tasks", "", int64(7)},
				{"unit.tasks_limit", "", int64(999)}, {"server.major", "", "15"},
				{"unit.since", "", "Sat 2025-10-11 10:00:00 UTC"}}},
		{"a kernel and its distribution", "Linux db7 6.17.0-23-generic #23~24.04.1-Ubuntu SMP PREEMPT_DYNAMIC Tue " +
			"Apr 14 " +
			"16:11:48 UTC 2026 x86_64 x86_64 x86_64 GNU/Linux\n", []fact{{"kernel.distribution", "", "Ubuntu 24.04"}}},
		{"the cache of lscpu", "Architecture:          x86_64\nCPU(s):                2\nModel name:            " +
			"Example CPU\n" +
			"Thread(s) per core:    1\nL3 cache:              16 MiB (2 instances)\n",
			[]fact{{"cpu.cache_l3", "", int64(16 << 20)}}},
		{"lists below names", "What we have:\n\n - `shared_buffers`:\n    - Guidance: a quarter of the memory\n" +
			"    - Default: 128MB\n    - Ours: 6GB\n\n - `work_mem`:\n    - Default: 4MB\n" +
			"    - Ours: half of it, thus `24MB`\n",
			[]fact{{"setting", "shared_buffers", 6 * gb}, {"setting", "work_mem", int64(24 << 20)}}},
		{"remarks of a list", "Server:\n\n- 16 GB RAM\n- 4 vCPU\n- SSD\n- VMware ESXi 7.0\n",
			[]fact{{"stated.virtualization", "", "VMware ESXi"}, {"stated.storage", "", "SSD"}}},
	} {
		r := read(c.text)
		for _, f := range c.facts {
			found := false
			for _, p := range r.Parts {
				for _, x := range p.Facts {
					found = found || x.Name == f.name && x.Of == f.of && x.Value == f.want
				}
			}
			if !found {
				t.Errorf("%s: no %s %s = %v in %+v", c.name, f.name, f.of, f.want, r.Parts)
			}
		}
	}
	// What is the default or advised, and not what is set, is no setting.
	r := read(" - `shared_buffers`:\n    - Default: 128MB\n    - Recommended: 8GB\n")
	if f, ok := told(r, "setting", "shared_buffers"); ok {
		t.Errorf("%+v", f)
	}
}
