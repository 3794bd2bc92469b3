package linux

import "github.com/pgfettle/pgfettle/internal/base/say"

// ofParameter is an error about a kernel parameter.
func ofParameter(name string, err error) error {
	return say.Err("kernel parameter {name}: {reason}", "name", name, "reason", err)
}

// ofBoot is an error about a parameter of the kernel's command line.
func ofBoot(name string, err error) error {
	return say.Err("boot parameter {name}: {reason}", "name", name, "reason", err)
}

// ofLoader is an error about what starts the kernel.
func ofLoader(err error) error { return say.Err("boot loader: {reason}", "reason", err) }
