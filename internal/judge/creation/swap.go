package creation

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// DefaultSwap is where a swap file is made unless a person names another place.
const DefaultSwap = "/swapfile"

// SwapPlace is the place of a swap file, as it was found.
type SwapPlace struct {
	Path    string // with every symbolic link of its directory followed
	Exists  bool   // something has the name
	NoDir   bool   // its directory does not exist
	Type    string // of the filesystem; "": unknown
	Device  string // major:minor of it
	Free    unit.Bytes
	Total   unit.Bytes
	Led     string // who beside root could replace it; "": nobody
	InFstab string // a swap area that /etc/fstab names; "": none
	Lacks   string // a program that is not installed; "": none
}

// Swap is a swap file that is made before the instance. It is of the host, which has none.
type Swap struct {
	Place  SwapPlace
	Size   unit.Bytes
	Memory unit.Bytes // of the host, which the size comes from
	Mode   string     // of vm.overcommit_memory; "": unknown
}

// swappable are the filesystems on which a file keeps its blocks in their places: the kernel writes to them without
// the filesystem. On btrfs a file needs preparation, and the others cannot hold one.
var swappable = []string{"ext4", "xfs"}

// The sizes of a swap file. A quarter of the memory holds what programs leave idle; more only makes a host that is
// short of memory slow for longer before anything is reported.
const (
	leastSwap, mostSwap = unit.GB, 4 * unit.GB
	largeHost           = 256 * unit.GB // where it may be
	mostLarge           = 8 * unit.GB
)

// SwapSize is the size of a swap file for a memory, and its upper limit there.
func SwapSize(memory unit.Bytes) (size, most unit.Bytes) {
	most = mostSwap
	if memory >= largeHost {
		most = mostLarge
	}
	return min(max((memory/4).RoundUp(unit.GB), leastSwap), most), most
}

// SwapFor decides on the swap file that an order asks for: nil if the host needs none, with a note if that is worth
// one. A file that is not asked for is offered in the note. The error is a *say.Problem.
func SwapFor(o Order, s *snapshot.Snapshot, at Site, p SwapPlace) (*Swap, say.Message, error) {
	none := say.Message{}
	swaps, told := s.Host.Swaps.Get()
	memory, sized := s.Host.Memory.Get()
	err := swapless(s, at, p)
	w := &Swap{Place: p, Memory: memory.Total}
	w.Size, _ = SwapSize(memory.Total)
	w.Mode, _ = s.Host.Sysctls["vm.overcommit_memory"].Get()
	if !slices.Contains(o.Layers, LayerSwap) {
		if len(o.Layers) > 0 || !told || !sized || len(swaps) > 0 || err != nil {
			return nil, none, nil
		}
		return nil, say.M("This host has no swap, and --kernel alone makes none. With {flag}, a swap file of {size} "+
			"is made as well ({why}).", "flag", "--layers "+strings.Join(HostLayers, ","), "size", w.Size, "why",
			w.calculation()), nil
	}
	switch {
	case len(swaps) > 0:
		sum := unit.Bytes(0)
		for _, a := range swaps {
			sum += a.Size
		}
		return nil, say.M("No swap file is made: this host has {size} of swap.", "size", sum), nil
	case err != nil:
		return nil, none, err
	case !told:
		return nil, none, refuse(say.M("it is unknown whether this host has swap"), say.M("/proc/swaps was not read"),
			say.M("omit {layer} in --layers", "layer", LayerSwap))
	case !sized:
		return nil, none, refuse(say.M("the memory of this host is unknown"), say.M("the size of a swap file comes "+
			"from it"), say.M("omit {layer} in --layers", "layer", LayerSwap))
	}
	return w, none, nil
}

// swapless refuses a host or a place on which no swap file can be.
func swapless(s *snapshot.Snapshot, at Site, p SwapPlace) error {
	another := say.M("name another one with --swap-file")
	v, _ := s.Host.Virt.Get()
	switch {
	case v.Container != "":
		return refuse(say.M("no swap file can be used in a container ({name})", "name", v.Container),
			say.M("its swap is that of the host"), say.M("omit {layer} in --layers, and run 'pgfettle explain "+
				"swap-file' on the host", "layer", LayerSwap))
	case !at.Root:
		return &say.Problem{Message: say.M("only root can make a swap file"), Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle as root, or omit {layer} in --layers", "layer", LayerSwap)}
	case !newcluster.SwapPath(p.Path):
		return say.Usage(say.M("--swap-file: {path} is not the path of a swap file", "path", say.Quoted(p.Path)),
			say.M("Write an absolute path of letters, digits and _.@+- alone."))
	case p.InFstab != "":
		return refuse(say.M("{file} names the swap area {name}, which is not in use", "file", "/etc/fstab", "name",
			p.InFstab), say.Message{}, say.M("use it with 'swapon -a', or remove the line"))
	case p.NoDir:
		return refuse(say.M("the directory {path} does not exist", "path", path.Dir(p.Path)), say.Message{}, another)
	case p.Exists:
		return refuse(say.M("{path} exists already", "path", p.Path), say.Message{}, another)
	case p.Led != "":
		return refuse(say.M("{path} could be replaced by others", "path", p.Path), say.Text(p.Led), say.M("use a path "+
			"whose directories only root can change, with --swap-file"))
	case p.Type == "":
		return refuse(say.M("the filesystem of {path} is unknown", "path", p.Path), say.Message{}, another)
	case !slices.Contains(swappable, p.Type):
		return refuse(say.M("{path} would be on {type}, and a swap file is made on {list} only", "path", p.Path, "type",
			p.Type, "list", say.Names(swappable, 0)), say.Message{}, say.M("name a path on one of them with "+
			"--swap-file; 'pgfettle explain swap-file' has the commands for btrfs"))
	case p.Lacks != "":
		return refuse(say.M("the program {name} is not installed", "name", p.Lacks), say.Message{},
			say.M("install the package util-linux; on Debian and Ubuntu, also mount"))
	}
	return nil
}

// swapMargin is the part of a filesystem that a swap file leaves free at least: what ext4 itself keeps for root.
const swapMargin = 0.05

// SwapRoom refuses a swap file for which its filesystem has no room beside what the instance may write, and one on the
// device that the WAL has for itself.
func SwapRoom(w *Swap, data Folder, wal *Folder, maxWAL unit.Bytes, primary *Primary) error {
	if w == nil {
		return nil
	}
	if wal != nil && wal.Device != "" && wal.Device == w.Place.Device {
		return refuse(say.M("{path} is on the filesystem of the WAL directory {wal}", "path", w.Place.Path, "wal",
			wal.Path), say.M("swapping would delay commits"), say.M("name another one with --swap-file"))
	}
	keep := w.Place.Total.Scale(swapMargin)
	if data.Device == w.Place.Device {
		keep += leastData
		if wal == nil {
			keep += 2 * maxWAL
		}
		if primary != nil {
			size, _ := primary.Bytes.Get()
			keep += size
		}
	}
	if w.Place.Total == 0 || w.Place.Free >= w.Size+keep {
		return nil // of an unknown size nothing is said: what has no room is reverted
	}
	return refuse(say.M("the filesystem of {path} has {free} free, and {need} are needed", "path", w.Place.Path, "free",
		w.Place.Free, "need", w.Size+keep), say.M("the swap file takes {size}, and {keep} are for the instance and "+
		"others", "size", w.Size, "keep", keep), say.M("name a path on a larger filesystem with --swap-file, or omit "+
		"{layer} in --layers", "layer", LayerSwap))
}

// swapped adds a swap file to a snapshot: what is planned counts on it.
func (l Layout) swapped(next *snapshot.Snapshot) {
	w := l.Swap
	m, ok := next.Host.Memory.Get()
	if w == nil || !ok {
		return
	}
	m.SwapTotal += w.Size
	m.SwapFree += w.Size
	m.CommitLimit += w.Size
	m.Lines = maps.Clone(m.Lines)
	for _, name := range []string{"SwapTotal", "SwapFree", "CommitLimit"} {
		if b, ok := m.Lines[name]; ok {
			m.Lines[name] = b + w.Size
		}
	}
	next.Host.Memory = known.Is(m)
	next.Host.Swaps = known.Is([]host.Swap{{Path: w.Place.Path, Kind: host.SwapFile, Size: w.Size, Priority: -2}})
}

// calculation is why a swap file has its size.
func (w *Swap) calculation() say.Message {
	_, most := SwapSize(w.Memory)
	return say.M("25% of {memory} RAM, from {least} to {most}", "memory", w.Memory, "least", leastSwap, "most", most)
}

// swapSteps make the swap file, before everything else: a commit limit that counts it comes after it.
func (l Layout) swapSteps(p *Plan) []Step {
	w := l.Swap
	if w == nil {
		return nil
	}
	planned := func(name string) (string, bool) {
		for i := range p.Host {
			if p.Host[i].Address == knob.Sysctl(name) {
				return p.Host[i].To, true
			}
		}
		return "", false
	}
	mode, set := planned("vm.overcommit_memory")
	if !set {
		mode = w.Mode
	}
	_, counted := planned("vm.overcommit_kbytes")
	why := say.M("without swap, the OOM killer is the first sign that memory is short")
	switch {
	case mode == "2" && counted:
		why = say.M("the planned commit limit includes it (vm.overcommit_kbytes is lower by its size)")
	case mode == "2":
		why = say.M("overcommit is strict, and the commit limit grows by it")
	}
	at := w.Place.Path
	return []Step{
		{Address: knob.Step(knob.SwapFilePrefix, at), To: newcluster.SwapOf(w.Size, p.Spec.Token).Text(),
			Text: say.M("create the swap file {path} of {size}: {calculation}; {why}", "path", at, "size", w.Size,
				"calculation", w.calculation(), "why", why)},
		{Address: knob.Step(knob.SwapPrefix, at), To: newcluster.InUse,
			Text: say.M("use it as swap, now and at boot (a line in {file})", "file", "/etc/fstab")},
	}
}

// Split parts the steps into those that come before the changes of the host, and the others.
func (p *Plan) Split() (first, rest []Step) {
	for _, s := range p.Steps {
		if prefix := s.Address.Prefix(); prefix == knob.SwapFilePrefix || prefix == knob.SwapPrefix {
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	return first, rest
}
