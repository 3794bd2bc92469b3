// Package debianpg has the servers of versions that are not in the package registry that the others are fetched from:
// release candidates, which Debian builds in its suite experimental.
package debianpg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
)

// Majors are the versions that are had from there, ascending. One that scratch.Fetch has leaves this list.
var Majors = []int{19}

// Binaries returns the programs of a major version, from the cache of tools/debianpg.sh or fetched into it. The error
// is what the script said.
func Binaries(ctx context.Context, major int) (scratch.Binaries, error) {
	script, err := find()
	if err != nil {
		return scratch.Binaries{}, err
	}
	cmd := exec.CommandContext(ctx, script, fmt.Sprint(major))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return scratch.Binaries{}, fmt.Errorf("%s %d: %w: %s", script, major, err, strings.TrimSpace(errs.String()))
	}
	return scratch.At(ctx, strings.TrimSpace(out.String()))
}

// find looks for the script in the checkout that the working directory is in.
func find() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		script := filepath.Join(dir, "tools", "debianpg.sh")
		if _, err := os.Stat(script); err == nil {
			return script, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("tools/debianpg.sh: the working directory is in no checkout")
		}
		dir = filepath.Dir(dir)
	}
}
