package host

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Tuning is what the active profile of TuneD writes when the service starts.
type Tuning struct {
	Profile string `json:"profile"` // as active_profile has it: several names are laid one over the other
	// sysctl.d is applied once more after the profile, and wins (reapply_sysctl, on by default)
	Reapply bool       `json:"reapply"`
	Sets    []TunedSet `json:"sets"` // the last word of each
}

// TunedSet is one value of a profile.
type TunedSet struct {
	Name  string `json:"name"` // vm.swappiness, or thp:enabled
	Value string `json:"value"`
	File  string `json:"file"` // absolute path
}

// tunedDirs are the directories of profiles, the strongest first; those named profiles came with TuneD 2.23.
var tunedDirs = []string{"etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned"}

const (
	tunedMain   = "etc/tuned/tuned-main.conf"
	tunedActive = "etc/tuned/active_profile"
	// maxTunedFiles bounds the profiles that include each other: the deepest of
	// the distributions' own are four.
	maxTunedFiles = 32
)

// TunedGlobs are the places of the files of profiles. A collector takes those
// that TunedFiles names.
var TunedGlobs = []string{tunedMain, "etc/tuned/*/tuned.conf", "etc/tuned/profiles/*/tuned.conf",
	"usr/lib/tuned/*/tuned.conf", "usr/lib/tuned/profiles/*/tuned.conf"}

// TunedFiles names the files that make up the active profile, each with those
// that it includes before it. read gives the text of a file that is there.
func TunedFiles(active string, read func(name string) (string, bool)) ([]string, error) {
	var out []string
	open := map[string]bool{}
	var load func(profile string) error
	load = func(profile string) error {
		for _, dir := range tunedDirs {
			name := path.Join(dir, profile, "tuned.conf")
			if strings.Contains(profile, "/") || !fs.ValidPath(name) {
				continue
			}
			text, ok := read(name)
			if !ok {
				continue
			}
			if open[name] {
				return nil // a profile that includes itself, or one that two include
			}
			if open[name] = true; len(open) > maxTunedFiles {
				return fmt.Errorf("more than %d profiles", maxTunedFiles)
			}
			section := ""
			for line := range strings.Lines(text) {
				line = strings.TrimSpace(line)
				if strings.HasPrefix(line, "[") {
					section = line
				}
				k, v, _ := strings.Cut(line, "=")
				if section != "[main]" || strings.TrimSpace(k) != "include" {
					continue
				}
				for _, p := range strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(", ;\t", r) }) {
					if strings.HasPrefix(p, "-") || strings.Contains(p, "$") {
						continue // optional, or made of variables: nothing is known of it
					}
					if err := load(p); err != nil {
						return err
					}
				}
			}
			out = append(out, name)
			return nil
		}
		return fmt.Errorf("profile %.40q is not there", profile)
	}
	for _, p := range strings.Fields(active) {
		if err := load(p); err != nil {
			return out, err
		}
	}
	return out, nil
}

// ReadTuning reads the active profile with all that it includes. A profile of
// which a part is missing makes the fact missing: what is not seen may have the
// last word.
func ReadTuning(fsys fs.FS) known.Fact[Tuning] {
	active := ReadTuned(fsys)
	profile, ok := active.Get()
	if !ok {
		return known.Without[Tuning](active.State(), active.Gap())
	}
	files, err := TunedFiles(profile, func(name string) (string, bool) {
		b, err := fs.ReadFile(fsys, name)
		return string(b), err == nil
	})
	if err != nil {
		return known.Missed[Tuning](known.Gap{Fact: tunedActive, Reason: err.Error()})
	}
	t := Tuning{Profile: profile, Reapply: true, Sets: []TunedSet{}}
	if main, err := fs.ReadFile(fsys, tunedMain); err == nil {
		for line := range strings.Lines(string(main)) {
			k, v, _ := strings.Cut(line, "=")
			if strings.TrimSpace(k) == "reapply_sysctl" {
				t.Reapply = !strings.Contains("|0|false|no|off|", "|"+strings.ToLower(strings.TrimSpace(v))+"|")
			}
		}
	}
	at := map[string]int{}
	for _, name := range files {
		f := evidence.Read(fsys, name, ParseTunedProfile)
		sets, ok := f.Get()
		if !ok {
			return known.Without[Tuning](f.State(), f.Gap())
		}
		for _, s := range sets {
			s.File = "/" + name
			if i, ok := at[s.Name]; ok {
				t.Sets[i] = s
				continue
			}
			at[s.Name] = len(t.Sets)
			t.Sets = append(t.Sets, s)
		}
	}
	return known.Is(t)
}

// thpFile is the knob that both a line of [vm] and one of [sysfs] may write.
const thpFile = "/sys/kernel/mm/transparent_hugepage/enabled"

// ParseTunedProfile parses a tuned.conf: the assignments of [sysctl], and those of [vm] and [sysfs] to transparent huge
// pages. Values that the profile computes, or only raises (=>), are omitted: their results are unknown.
func ParseTunedProfile(b []byte) ([]TunedSet, error) {
	var out []TunedSet
	section := ""
	err := Lines(b, func(_ int, line string) error {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			return nil
		}
		k, v, ok := strings.Cut(line, "=")
		k, v = strings.TrimSpace(k), strings.Trim(strings.TrimSpace(v), `"'`)
		if !ok || k == "" || v == "" || strings.ContainsAny(k+v, "$<>") || strings.ContainsAny(k[:1], "#;") {
			return nil
		}
		name := ""
		switch {
		case section == "[sysctl]":
			name = strings.ReplaceAll(k, "/", ".")
		case section == "[vm]" && (k == "transparent_hugepages" || k == "transparent_hugepage"),
			section == "[sysfs]" && k == thpFile:
			name = "thp:enabled"
		}
		if name == "" {
			return nil
		}
		if _, err := ParseText([]byte(v)); err != nil {
			return err
		}
		if len(out) == maxSysctlSets {
			return fmt.Errorf("more than %d assignments", maxSysctlSets)
		}
		out = append(out, TunedSet{Name: plainName(name), Value: v})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
