package scratch

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Tried is what a binary said of a whole configuration.
type Tried struct {
	Complaints []string     // why the server would not start, in its own words; none: it would
	Shared     SharedMemory // that it would ask the kernel for; zero if it did not get so far
}

// elsewhere are settings that name places of the real cluster, or that make the
// server look for files there. The shadow has its own or none.
var elsewhere = []string{
	"data_directory", "config_file", "hba_file", "ident_file", "external_pid_file", "ssl",
	"unix_socket_directories", "unix_socket_group", "listen_addresses",
}

// inFile is where in the shadow a message points to; the person has no such file.
var inFile = regexp.MustCompile(` in file "[^"]*" line \d+`)

// Try asks the binary whether it would start with a whole configuration: values
// as a file has them, in any unit. First it reads them, which finds every unknown
// name and every value out of range by itself; then it goes on to the point where
// it would make its shared memory, which finds what does not fit together and
// libraries that are not there. It takes 20 to 60 ms.
func (s *Shadow) Try(ctx context.Context, settings map[string]string) (Tried, error) {
	conf := map[string]string{} // of none too
	maps.Copy(conf, settings)
	for _, name := range elsewhere {
		delete(conf, name)
	}
	segment := conf["wal_segment_size"]
	delete(conf, "wal_segment_size")
	if err := s.place.write("postgresql.auto.conf", nil); err != nil { // else it is said to be missing
		return Tried{}, say.Err("shadow data directory: {reason}", "reason", err)
	}
	said, err := s.readable(ctx, maps.Clone(conf))
	if err != nil || len(said) > 0 {
		return Tried{Complaints: said}, err
	}
	shared, err := SharedMemory{}, errors.ErrUnsupported
	if s.Binaries.Version.Major() >= 15 {
		shared, err = s.askByGUC(ctx, conf)
	}
	if err != nil {
		// in blocks, as AskByLimit wants them
		for _, name := range []string{"wal_buffers", "shared_buffers"} {
			out, _, err := s.run(ctx, s.Binaries.Tool("postgres"), "-D", s.place.path, "-C", name)
			if err != nil {
				return Tried{}, say.Named("postgres -C "+name, err)
			}
			conf[name] = strings.TrimSpace(out)
		}
		if segment != "" {
			conf["wal_segment_size"] = segment
		}
		shared, err = s.Ask(ctx, conf)
	}
	var told *refusedError
	switch {
	case err == nil:
		return Tried{Shared: shared}, nil
	case errors.As(err, &told) && ctx.Err() == nil:
		return Tried{Complaints: []string{told.said}}, nil
	}
	return Tried{}, err
}

// rounds limits how often a configuration is read again without what was found invalid in it: unknown names hide wrong
// values, and nothing else hides anything.
const rounds = 4

// readable lets the binary read a configuration and returns what it finds wrong.
// It leaves the configuration in the shadow.
func (s *Shadow) readable(ctx context.Context, conf map[string]string) ([]string, error) {
	var all []string
	for range rounds {
		plainly := maps.Clone(conf)
		plainly["lc_messages"], plainly["log_destination"] = "C", "stderr"
		text, err := confText(plainly)
		if err != nil {
			return nil, err
		}
		if err := s.place.write("postgresql.conf", []byte(text)); err != nil {
			return nil, say.Err("shadow data directory: {reason}", "reason", err)
		}
		_, errText, err := s.run(ctx, s.Binaries.Tool("postgres"), "-D", s.place.path, "-C", "port")
		if err == nil {
			break
		}
		said := complaints(errText)
		if ctx.Err() != nil || len(said) == 0 {
			return nil, say.Named("postgres -C port", say.Named(err, errors.New(lastLines(errText, 2))))
		}
		all = append(all, said...)
		before := len(conf)
		maps.DeleteFunc(conf, func(name, _ string) bool {
			return slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, `"`+name+`"`) })
		})
		if len(conf) == before {
			break
		}
	}
	return all, nil
}

// refusedError says that the binary itself refused a configuration.
type refusedError struct {
	how  say.Message // what it was asked with
	said string      // its reason
}

// Error returns it in English.
func (e *refusedError) Error() string { return e.In(nil) }

// In returns it in the language of a catalog.
func (e *refusedError) In(c *say.Catalogue) string {
	return say.ErrorIn(say.Named(e.how, errors.New(e.said)), c)
}

// complaints picks every reason out of the messages of a server that read its
// configuration, each with the hint or detail that belongs to it.
func complaints(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = inFile.ReplaceAllString(strings.TrimSpace(line), "")
		switch {
		case strings.Contains(line, "contains errors"): // the sum of those before it
		case chatter.MatchString(line):
			out = append(out, line[chatter.FindStringIndex(line)[1]:]) // without the time before it
		case len(out) > 0 && (strings.Contains(line, "HINT:") || strings.Contains(line, "DETAIL:")):
			_, more, ok := strings.Cut(line, "HINT:") // behind a time, which has colons too
			if !ok {
				_, more, _ = strings.Cut(line, "DETAIL:")
			}
			out[len(out)-1] += " (" + strings.TrimSpace(more) + ")"
		}
	}
	return out
}

// Default returns the value that the program was built with for a setting that no
// file names.
func (s *Shadow) Default(ctx context.Context, name string) (string, error) {
	if err := s.place.write("postgresql.conf", nil); err != nil {
		return "", say.Err("shadow data directory: {reason}", "reason", err)
	}
	out, errText, err := s.run(ctx, s.Binaries.Tool("postgres"), "-D", s.place.path, "-C", name)
	if err != nil {
		return "", say.Named("postgres -C "+name, say.Named(err, errors.New(complaint(errText))))
	}
	return strings.TrimSuffix(out, "\n"), nil
}
