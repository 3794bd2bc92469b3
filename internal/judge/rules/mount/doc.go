// Package mount holds the rules of mount options of filesystems that hold a server's files. One file a knob, with its
// cases in testdata next to it; the engine is internal/judge/rule.
package mount
