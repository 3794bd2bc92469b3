package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// Version is the program's version; the build sets it with -ldflags -X.
var Version = "unreleased"

func versionLine() string {
	return fmt.Sprintf("pgfettle %s (%s, %s/%s)", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the versions of pgfettle and of the Go toolchain, and the platform.",
		Example: "  pgfettle version",
		Args:    atMost(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(env.Stdout, versionLine())
			return err
		},
	}
}
