package paste

import (
	"fmt"
	"strings"
	"testing"
)

// TestMachinesInSentences holds what sentences and tables say of a machine, and of an instance of a cloud.
func TestMachinesInSentences(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{"The database runs on a server with 64 GB RAM and 16 cores.\n", "stated.memory", "68719476736"},
		{"We use db.r5.xlarge for the primary.\n", "stated.memory", "34359738368"},
		{"We use db.r5.xlarge for the primary.\n", "stated.cpus", "4"},
		{"Server: 8 vCPU, 32 GB RAM\n", "stated.memory", "34359738368"},
		{"Server: 8 vCPU, 32 GB RAM\n", "stated.cpus", "8"},
	} {
		f, ok := told(read(c.text), c.name, "")
		if got := fmt.Sprint(f.Value); !ok || got != c.want {
			t.Errorf("%q: %s of %s, not %s", c.text, got, c.name, c.want)
		}
	}
}

// TestDDInLanguages holds that dd is known by its figures, whatever language its words are of.
func TestDDInLanguages(t *testing.T) {
	const command = "$ dd if=/dev/zero of=t bs=1M count=1024 oflag=direct\n"
	for name, lines := range map[string]string{
		"ja": "1024+0 レコード入力\n1024+0 レコード出力\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.25 s, 205 MB/s\n",
		"zh": "记录了1024+0 的读入\n记录了1024+0 的写出\n1073741824字节(1.1 GB)已复制，5.25 秒，205 MB/秒\n",
		"ko": "1024+0 레코드 들어옴\n1024+0 레코드 나감\n1073741824 바이트 (1.1 GB, 1.0 GiB) 복사함, 5.25 초, 205 MB/s\n",
		"en": "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 5.25 s, 205 MB/s\n",
	} {
		r := read(command + lines)
		if len(r.Parts) != 1 || r.Parts[0].Kind != "dd" || len(r.Unrecognized) > 0 {
			t.Errorf("%s: %+v %+v", name, r.Parts, r.Unrecognized)
			continue
		}
		text := fmt.Sprintf("%+v", r.Parts[0].Facts)
		for _, want := range []string{"1073741824", "5.25"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s is not in %s", name, want, text)
			}
		}
	}
}

// TestInxi holds what inxi prints of a host.
func TestInxi(t *testing.T) {
	r := read("anna@lab7:~$ inxi -S\nSystem:\n  Host: lab7 Kernel: 6.8.0-60-generic arch: x86_64 bits: 64\n" +
		"  Desktop: N/A Distro: Ubuntu 24.04.2 LTS (Noble Numbat)\n")
	for name, want := range map[string]string{"kernel.release": "6.8.0-60-generic", "cpu.architecture": "x86_64"} {
		if f, ok := told(r, name, ""); !ok || f.Value != want {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f, ok := told(r, "os.name", ""); !ok || !strings.Contains(fmt.Sprint(f.Value), "Ubuntu 24.04.2") {
		t.Errorf("%+v", f)
	}
	if len(r.Hosts) != 1 || r.Hosts[0] != "lab7" {
		t.Errorf("%q", r.Hosts)
	}
}

// TestLscpuInALine holds lscpu that a page has put into one line, behind other words.
func TestLscpuInALine(t *testing.T) {
	r := read("Is XNNPACK available: True CPU: Architecture: x86_64 CPU op-mode(s): 32-bit, 64-bit Byte Order: " +
		"Little Endian CPU(s): 6 On-line CPU(s) list: 0-5 Vendor ID: AuthenticAMD Model name: AMD Ryzen 7 7700 " +
		"CPU family: 25 Model: 97 Thread(s) per core: 1 Core(s) per socket: 6 Socket(s): 1 Stepping: 2 " +
		"BogoMIPS: 7599.99 Flags: fpu vme\n")
	for name, want := range map[string]any{"cpu.logical": int64(6), "cpu.sockets": int64(1),
		"cpu.cores_per_socket": int64(6), "cpu.model": "AMD Ryzen 7 7700"} {
		if f, ok := told(r, name, ""); !ok || f.Value != want {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
