package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// CPU is what /proc/cpuinfo and sys/devices/system/cpu say of the CPUs.
type CPU struct {
	Logical int `json:"logical"` // processors online
	// distinct (physical id, core id) pairs; Logical if the architecture does not report it
	Cores int `json:"cores"`
	// distinct physical ids; 1 if the architecture does not report it
	Sockets    int                   `json:"sockets"`
	Model      string                `json:"model"`      // model name; may be empty (arm64)
	Hypervisor bool                  `json:"hypervisor"` // the x86 flag "hypervisor": this is a guest
	Caches     map[string]unit.Bytes `json:"caches"`     // level → size of cpu0's cache: "L1d", "L1i", "L2", "L3"
}

// maxCPUs bounds the CPUs: the largest kernel configuration has 8192 (CONFIG_MAXSMP).
const maxCPUs = 8192

// ReadCPU reads /proc/cpuinfo and the caches of cpu0.
func ReadCPU(fsys fs.FS) known.Fact[CPU] {
	return known.Map(evidence.Read(fsys, "proc/cpuinfo", ParseCPUInfo), func(c CPU) CPU {
		c.Caches = readCaches(fsys)
		return c
	})
}

// ParseCPUInfo parses the text of /proc/cpuinfo: one paragraph a CPU on x86, arm64 and POWER, one line a CPU on s390.
// Caches stay empty. A text without a CPU is an error.
func ParseCPUInfo(b []byte) (CPU, error) {
	c := CPU{Sockets: 1}
	cores, sockets := map[[2]string]bool{}, map[string]bool{}
	socket, told := "", 0
	err := Lines(b, func(_ int, line string) error {
		key, val, ok := strings.Cut(line, ":")
		key, val = strings.TrimSpace(key), strings.TrimSpace(val)
		if !ok {
			return nil
		}
		switch {
		case key == "processor" && Digits(val), strings.HasPrefix(key, "processor ") && Digits(key[len("processor "):]):
			if c.Logical++; c.Logical > maxCPUs {
				return fmt.Errorf("more than %d CPUs", maxCPUs)
			}
			socket = ""
		case key == "physical id" && Digits(val) && c.Logical > 0:
			socket = val
		case key == "core id" && Digits(val) && socket != "": // it follows the physical id
			cores[[2]string{socket, val}], sockets[socket] = true, true
			socket = ""
			told++
		case key == "model name" && c.Model == "" && len(val) <= MaxWord:
			c.Model = val
		case key == "flags":
			c.Hypervisor = c.Hypervisor || strings.Contains(" "+val+" ", " hypervisor ")
		}
		return nil
	})
	if err == nil && c.Logical == 0 {
		err = errors.New("no CPU")
	}
	if err != nil {
		return CPU{}, err
	}
	c.Cores = c.Logical
	if told == c.Logical {
		c.Cores, c.Sockets = len(cores), len(sockets)
	}
	return c, nil
}

const cacheDir = "sys/devices/system/cpu/cpu0/cache"

// maxCaches bounds the caches of one CPU: three levels, two of the first one, are usual, and some have a fourth.
const maxCaches = 32

func readCaches(fsys fs.FS) map[string]unit.Bytes {
	out := map[string]unit.Bytes{}
	names, _ := folder(fsys, cacheDir, maxCaches)
	for _, n := range names {
		size, ok := evidence.Read(fsys, cacheDir+"/"+n+"/size", ParseCacheSize).Get()
		level := word(fsys, cacheDir+"/"+n+"/level")
		if !ok || !Digits(level) {
			continue
		}
		kind := map[string]string{"Data": "d", "Instruction": "i"}[word(fsys, cacheDir+"/"+n+"/type")]
		out["L"+level+kind] = size
	}
	return out
}

// ParseCacheSize parses the size of a cache, which the kernel writes as "1280K".
func ParseCacheSize(b []byte) (unit.Bytes, error) {
	s := strings.TrimSpace(string(b))
	kb, ok := strings.CutSuffix(s, "K")
	if !ok {
		return 0, fmt.Errorf("%q is not the size of a cache", Short(s))
	}
	return parseKB(kb)
}
