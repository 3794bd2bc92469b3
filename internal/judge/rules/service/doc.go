// Package service holds the rules of the systemd unit that runs a server. One file a knob, with its cases in testdata
// next to it; the engine is internal/judge/rule.
package service
