// Package provision looks at a host for an instance that is not there yet: which programs and tools are installed,
// which
// ports and names are taken, which locales the system has, and what the directories are that it is to have. Nothing is
// written.
package provision
