package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// writeFiles writes the files of a plan below --out and lists where each belongs: on
// stdout, or on stderr if stdout is for the plan itself. If one of them already exists,
// nothing is written.
func writeFiles(env *Env, d document.Plan, s *snapshot.Snapshot, o *planOptions) error {
	files, err := export.Files(d, s)
	if err != nil {
		return err
	}
	talk := env.Stdout
	if o.formatSaid {
		talk = env.Stderr
	}
	if len(files) == 0 {
		_, err := fmt.Fprintln(talk, env.say("Nothing to change; no files were written."))
		return err
	}
	for _, f := range files {
		name := filepath.Join(o.out, f.Name)
		if _, err := os.Lstat(name); err == nil && !o.force {
			return exists(name)
		}
	}
	for _, f := range files {
		name := filepath.Join(o.out, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		if err := writeFile(name, f.Body, 0o644, o.force); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		if f.Place == "" {
			fmt.Fprintf(talk, "%s\n    %s\n", typeset.Line(name), env.say("this list"))
			continue
		}
		fmt.Fprintf(talk, "%s\n    place  %s\n    then   %s\n", typeset.Line(name), f.Place, f.Then)
	}
	return nil
}

func exists(name string) error {
	return &say.Problem{Message: say.M("file {name} already exists; nothing was written", "name", say.Quoted(name)),
		Hint: say.M("Choose another name, or add --force to overwrite it."), Code: exitError}
}

// writeFile makes a file, or replaces it as a whole where that is allowed. A
// failure leaves nothing half-written behind.
func writeFile(name string, data []byte, perm fs.FileMode, replace bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".pgfettle-*")
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &say.Problem{Message: say.M("could not write {name}: {error}", "name", say.Quoted(name), "error",
			pe.Err),
			Hint: say.M("Use an existing directory to which you can write."), Code: exitError}
	}
	if err != nil {
		return err
	}
	defer func() {
		if e := os.Remove(f.Name()); e != nil && !errors.Is(e, fs.ErrNotExist) && err == nil {
			err = e
		}
	}()
	_, err = f.Write(data)
	for _, step := range []func() error{func() error { return f.Chmod(perm) }, f.Sync, f.Close} {
		if e := step(); err == nil {
			err = e
		}
	}
	switch {
	case err != nil:
		return err
	case replace:
		return os.Rename(f.Name(), name)
	}
	// A link, unlike a rename, never replaces what was put there meanwhile.
	err = os.Link(f.Name(), name)
	if errors.Is(err, fs.ErrExist) {
		return exists(name)
	}
	return err
}

// writeTo collects what a document writes; the error names what it is.
func writeTo(w io.Writer, what string, doc io.WriterTo) error {
	if _, err := doc.WriteTo(w); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
