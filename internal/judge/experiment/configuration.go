package experiment

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// Base is what a configuration starts from.
type Base string

// The bases.
const (
	BaseDefault Base = "default" // the server's own defaults
	BaseCurrent Base = "current" // the settings of an instance that runs here
	BasePlan    Base = "plan"    // what pgfettle plans for this host
	BaseFile    Base = "file"    // a postgresql.conf, or a plan written as JSON
)

// Reconnect is the address of the one thing that a configuration can say of its client:
// a new connection for each transaction.
const Reconnect = "client:reconnect"

// ConfigurationText is a configuration as a person names it.
type ConfigurationText struct {
	Text    string
	Base    Base
	Profile string    // of Plan; "" if none was said
	File    string    // of File
	Over    []Setting // set on top of the base, in the order of the text
}

// ConfigurationSyntax is for help texts.
const ConfigurationSyntax = `CONF is one of
  default            the defaults of the server
  current            the current settings of the instance named by TARGET
  plan[:PROFILE]     the plan for this host (web, oltp, dw, mixed, 1c)
  a file             a postgresql.conf with its includes, or the output of
                     pgfettle plan --format json
with changes, if any: default+pg:work_mem=64MB,jit=off. pg:… alone changes the
defaults. sysctl:NAME=VALUE is a kernel parameter (requires --kernel).
client:reconnect opens a new connection for each transaction.`

// overPrefix begins the additions to a base. A file's name may have a + in it.
var overPrefix = regexp.MustCompile(`(^|\+)(pg|sysctl|thp|client):`)

// settingName is how a setting of the server, or of a module of it, is called.
var settingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$.]*$`)

// mostText bounds what a person types: a hundred values of a line each.
const mostText = 16 << 10

// ParseConfiguration reads what a person wrote.
func ParseConfiguration(text string) (ConfigurationText, error) {
	s := ConfigurationText{Text: text, Base: BaseDefault}
	if len(text) > mostText {
		return s, wrong("a configuration of {n} characters: more than {most}", "n", fmt.Sprint(len(text)),
			"most", fmt.Sprint(mostText))
	}
	if strings.TrimSpace(text) == "" {
		return s, wrong("the configuration is empty")
	}
	base, rest := text, ""
	if at := overPrefix.FindStringIndex(text); at != nil {
		base, rest = text[:at[0]], strings.TrimPrefix(text[at[0]:], "+")
	}
	word, profile, hasProfile := strings.Cut(base, ":")
	switch {
	case base == "" || base == "default":
	case base == "current":
		s.Base = BaseCurrent
	case word == "plan":
		s.Base, s.Profile = BasePlan, profile
		if hasProfile && profile == "" {
			return s, wrong("plan: names no profile")
		}
	default:
		s.Base, s.File = BaseFile, base
	}
	var err error
	s.Over, err = parseSettings(rest)
	return s, err
}

// parseSettings reads "pg:a=1,b=2+sysctl:c=3". A comma begins the next value only if NAME= follows it, so that a list
// stays whole.
func parseSettings(text string) ([]Setting, error) {
	var out []Setting
	for text != "" {
		group := text
		if next := overPrefix.FindStringIndex(text[1:]); next != nil {
			group, text = text[:next[0]+1], strings.TrimPrefix(text[next[0]+1:], "+")
		} else {
			text = ""
		}
		prefix, body, _ := strings.Cut(group, ":")
		for i, piece := range strings.Split(body, ",") {
			key, value, eq := strings.Cut(piece, "=")
			key = strings.TrimSpace(key)
			switch {
			case prefix == "client" && key == "reconnect" && !eq:
				out = append(out, Setting{Reconnect, "on"})
			case prefix == "client":
				return nil, wrong("client:{name}: only client:reconnect is known", "name", piece)
			case eq && settingName.MatchString(key):
				if prefix == "pg" {
					key = strings.ToLower(key)
				}
				out = append(out, Setting{prefix + ":" + key, strings.TrimSpace(value)})
			case i > 0:
				out[len(out)-1].Value += "," + piece
			default:
				return nil, wrong("{prefix}:{value} is not NAME=VALUE", "prefix", prefix, "value", piece)
			}
		}
	}
	seen := map[string]bool{}
	for _, v := range out {
		if seen[v.Address] {
			return nil, wrong("{name} is set twice", "name", v.Address)
		}
		seen[v.Address] = true
	}
	return out, nil
}

// wrong is the problem of what a person typed, or of a document.
func wrong(text say.Template, pairs ...any) error {
	return &say.Problem{Message: say.M(text, pairs...), Code: say.CodeUsage}
}

// Configuration is a configuration with every value.
type Configuration struct {
	Name     string            `json:"name"`
	Settings map[string]string `json:"settings"` // of the server, as a file spells them
	// HugePages are pages of the default size that its server is to find free; 0: none.
	HugePages int64 `json:"huge_pages,omitempty"`
	// its clients make a new connection for each transaction
	Reconnect bool                    `json:"reconnect,omitempty"`
	Kernel    map[knob.Address]string `json:"kernel,omitempty"` // of the host, in force while its server runs

	Omitted []Omitted     `json:"-"` // what was asked for and is not in it, sorted
	Notes   []say.Message `json:"-"`

	typed map[string]bool // the settings written by the user, on top of the base
}

// HugePagesPool is the pool of huge pages of the default size.
const HugePagesPool = "sysctl:vm.nr_hugepages"

// Measured is a configuration as the result has it.
func (a *Configuration) Measured() MeasuredConfiguration {
	m := MeasuredConfiguration{Name: a.Name, Settings: []Setting{}}
	for name, v := range a.Settings {
		m.Settings = append(m.Settings, Setting{Address: "pg:" + name, Value: v})
	}
	for name, v := range a.Kernel {
		m.Settings = append(m.Settings, Setting{Address: string(name), Value: v})
	}
	if a.Reconnect {
		m.Settings = append(m.Settings, Setting{Address: Reconnect, Value: "on"})
	}
	if a.HugePages > 0 {
		m.Settings = append(m.Settings, Setting{Address: HugePagesPool,
			Value: "+" + strconv.FormatInt(a.HugePages, 10)})
	}
	slices.SortFunc(m.Settings, func(x, y Setting) int { return strings.Compare(x.Address, y.Address) })
	return m
}

// Omitted is a setting that the configuration does without.
type Omitted struct {
	Name, Value string
	Why         say.Message
}

// NewConfiguration combines a base and its additions.
func NewConfiguration(s ConfigurationText, base map[string]string, kernel map[knob.Address]string) (Configuration,
	error) {
	a := Configuration{Name: s.Text, Settings: map[string]string{}, Kernel: map[knob.Address]string{},
		typed: map[string]bool{}}
	for k, v := range base {
		a.Settings[strings.ToLower(k)] = v
	}
	for k, v := range kernel {
		a.Kernel[k] = v
	}
	for _, v := range s.Over {
		prefix, key, _ := strings.Cut(v.Address, ":")
		switch {
		case v.Address == Reconnect:
			a.Reconnect = true
		case prefix == "pg":
			a.Settings[key] = v.Value
			a.typed[key] = true
		default:
			address, err := knob.Parse(v.Address)
			if err != nil {
				return a, err
			}
			a.Kernel[address] = v.Value
		}
	}
	return a, nil
}

// libraries are the settings that name libraries to load.
var libraries = []string{"shared_preload_libraries", "session_preload_libraries", "local_preload_libraries",
	"jit_provider"}

// plainLibrary is a library's name without a place, and a value that is no program.
var plainLibrary = regexp.MustCompile(`^[A-Za-z0-9_.+-]{1,64}$`)

// OmitUnsupported takes out what a scratch instance cannot hold, and what it may not: an instance's own settings, and a
// file's, say what its account runs, and the scratch instance is another account's. So a library is taken by its name
// alone, from beside the server's programs, and a text of a library's own (plperl.on_init is a program) is not taken.
// What the user typed is taken as it is. installed reports whether the server's programs have a library.
func (a *Configuration) OmitUnsupported(installed func(library string) bool) {
	loaded := map[string]bool{}
	for _, list := range libraries {
		text, ok := a.Settings[list]
		if !ok {
			continue
		}
		var keep, gone []string
		for _, lib := range strings.Split(text, ",") {
			lib = strings.Trim(strings.TrimSpace(lib), `"`)
			switch {
			case lib == "":
			case !a.typed[list] && !plainLibrary.MatchString(strings.TrimPrefix(lib, "$libdir/")):
				a.Omitted = append(a.Omitted, Omitted{list, lib, say.M(whyLibrary)})
			case installed(lib):
				keep = append(keep, lib)
				loaded[lib[strings.LastIndexByte(lib, '/')+1:]] = true
			default:
				gone = append(gone, lib)
			}
		}
		a.Settings[list] = strings.Join(keep, ", ")
		if len(keep) == 0 {
			delete(a.Settings, list)
		}
		for _, lib := range gone {
			a.Omitted = append(a.Omitted, Omitted{list, lib,
				say.M("this library is not installed beside the server's programs")})
		}
	}
	for key, value := range a.Settings {
		why := cannotHold(key)
		if module, _, ok := strings.Cut(key, "."); ok && why == "" {
			switch {
			case !loaded[module]:
				why = "it belongs to a library that is not loaded"
			case !a.typed[key] && value != "" && !plainLibrary.MatchString(value):
				why = whyText
			}
		}
		if why != "" {
			a.Omitted = append(a.Omitted, Omitted{key, value, say.M(why)})
			delete(a.Settings, key)
		}
	}
	slices.SortFunc(a.Omitted, func(x, y Omitted) int {
		return strings.Compare(x.Name+"\x00"+x.Value, y.Name+"\x00"+y.Value)
	})
}
