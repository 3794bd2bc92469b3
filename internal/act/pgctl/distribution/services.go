package distribution

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// UnitPlaces hold the units of the system, those that win first (systemd.unit(5)).
var UnitPlaces = []string{"/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
	"/usr/lib/systemd/system", "/lib/systemd/system"}

// Service is what a systemd unit says of the server that it starts. What it does not say is empty.
type Service struct {
	Unit    string
	Data    string // data directory: Environment=PGDATA=, or -D of the command line
	User    string
	Program string // postgres, if the unit starts it itself
}

// Services lists the units whose names begin with postgres and that start a server, whether or not they are enabled.
// Debian's are not among them: one template starts all its clusters.
func Services(files target.Target) (out []Service) {
	var seen []string
	for _, place := range UnitPlaces {
		names, err := files.ReadDir(place)
		if err != nil {
			continue
		}
		slices.Sort(names)
		for _, n := range names {
			if !strings.HasPrefix(n, "postgres") || !strings.HasSuffix(n, ".service") || strings.Contains(n, "@.") ||
				slices.Contains(seen, n) {
				continue
			}
			seen = append(seen, n)
			s := serviceOf(unitText(files, place, n))
			if s.Data == "" && s.Program == "" {
				continue // such as Debian's postgresql.service, which stands for the clusters
			}
			s.Unit = n
			out = append(out, s)
		}
	}
	return out
}

// unitText is a unit with its drop-ins behind it, in the order of their names whatever directory they are in. Of two
// with one name the first place has the one that counts.
func unitText(files target.Target, place, name string) string {
	read := func(file string) string {
		b, err := files.ReadFile(file, target.MaxConfigFile)
		if err != nil {
			return ""
		}
		return string(b)
	}
	drops := map[string]string{}
	var order []string
	for _, at := range UnitPlaces {
		dir := path.Join(at, name+".d")
		names, err := files.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, n := range names {
			if _, ok := drops[n]; !ok && strings.HasSuffix(n, ".conf") {
				drops[n] = path.Join(dir, n)
				order = append(order, n)
			}
		}
	}
	slices.Sort(order)
	text := read(path.Join(place, name))
	for _, n := range order {
		text += "\n" + read(drops[n])
	}
	return text
}

func serviceOf(unit string) (s Service) {
	env := map[string]string{}
	var start []string
	for line := range strings.Lines(unit) {
		key, v, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			continue
		}
		v = strings.TrimSpace(v)
		switch key {
		case "User":
			s.User = v
		case "ExecStart":
			start = words(strings.TrimLeft(v, "-+!:@"))
		case "Environment":
			for _, pair := range words(v) {
				if name, val, ok := strings.Cut(pair, "="); ok {
					env[name] = val
				}
			}
		}
	}
	s.Data = env["PGDATA"]
	for i, w := range start {
		for name, val := range env {
			w = strings.ReplaceAll(strings.ReplaceAll(w, "${"+name+"}", val), "$"+name, val)
		}
		switch dir, ok := strings.CutPrefix(w, "-D"); {
		case i == 0 && slices.Contains([]string{"postgres", "postmaster"}, path.Base(w)):
			s.Program = w
		case i > 0 && start[i-1] == "-D":
			s.Data = w
		case ok && dir != "":
			s.Data = dir
		}
	}
	if !path.IsAbs(s.Data) {
		s.Data = ""
	}
	return s
}

// words splits a line of a unit as systemd does: quotes hold a word together.
func words(line string) (out []string) {
	var word strings.Builder
	quote, in := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, in = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if in {
				out = append(out, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if in {
		out = append(out, word.String())
	}
	return out
}

// Served is a cluster that was made, and that a unit starts.
type Served struct {
	Service
	Version string // major version, as PG_VERSION has it; "": it could not be read
	Port    int    // 0: its configuration could not be read
}

// maxVersion bounds PG_VERSION: a number and the end of the line, and room for spaces.
const maxVersion = 64

// ServedClusters lists the clusters of Services, also those that are disabled or were never started. What belongs to an
// account is read with its rights.
func ServedClusters(files target.Target) (out []Served) {
	for _, s := range Services(files) {
		if s.Data == "" {
			continue
		}
		s.Data = path.Clean(s.Data)
		in, err := files.Stat(s.Data)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				out = append(out, Served{Service: s})
			}
			continue
		}
		own := files.As(target.User{UID: in.UID, GID: in.GID})
		text, err := own.ReadFile(path.Join(s.Data, "PG_VERSION"), maxVersion)
		if errors.Is(err, fs.ErrNotExist) {
			continue // no cluster was made there yet
		}
		c := Served{Service: s}
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && n > 0 {
			c.Version = strconv.Itoa(n)
		}
		found := conf.Resolve(target.ConfigFiles{Target: own}, path.Join(s.Data, "postgresql.conf"), s.Data)
		if len(found.Files) > 0 {
			c.Port = DefaultPort
		}
		if n, err := strconv.Atoi(found.Values()["port"]); err == nil {
			c.Port = n
		}
		out = append(out, c)
	}
	return out
}
