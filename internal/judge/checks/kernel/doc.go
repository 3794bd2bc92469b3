// Package kernel holds the checks of kernel parameters, clocks and CPUs.
// One file a check; the engine is internal/judge/check.
package kernel
