package probe

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

// savedMost is how many probes are kept: more than the collector looks at would only are there.
const savedMost = 16

// Save writes a probe to a directory, where the collector finds it, and removes the oldest beyond savedMost. It returns
// the file.
func Save(t target.Target, dir string, p *measured.Probe) (string, error) {
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return "", say.Named("probe", err)
	}
	if err := t.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	file := path.Join(dir, time.Unix(p.TakenAt, 0).UTC().Format("20060102T150405Z")+".json")
	if err := t.Write(file, append(b, '\n'), 0o644); err != nil {
		return "", err
	}
	names, err := t.ReadDir(dir)
	if err != nil {
		return file, nil // it is kept, which was asked for
	}
	names = slices.DeleteFunc(names, func(n string) bool {
		return !strings.HasSuffix(n, "Z.json") || strings.HasPrefix(n, ".")
	})
	slices.Sort(names)
	for len(names) > savedMost {
		if err := t.Remove(path.Join(dir, names[0])); err != nil {
			return file, nil
		}
		names = names[1:]
	}
	return file, nil
}
