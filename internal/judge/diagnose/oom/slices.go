package oom

import "strings"

// Place is where a unit of systemd is in the tree of slices, seen from another.
type Place int

// The places.
const (
	Unplaced Place = iota // its name does not say
	Above                 // it is a slice that the other is in
	Apart                 // the other is not in it
)

// To is where a unit is, seen from another one. The name of a slice has those above it, and systemd puts
// user@UID.service below user.slice; a service of a user's own manager may have any name (systemd.slice(5),
// user@.service(5)).
func (u *Unit) To(other *Unit) Place {
	name, ok := strings.CutSuffix(u.Name, ".slice")
	if !ok {
		return Apart
	}
	placed := func(above bool) Place {
		if above {
			return Above
		}
		return Apart
	}
	ofUser := name == "user" || strings.HasPrefix(name, "user-")
	switch below, slice := strings.CutSuffix(other.Name, ".slice"); {
	case name == "-":
		return Above
	case slice:
		return placed(strings.HasPrefix(below, name+"-"))
	case strings.HasPrefix(other.Name, "user@"):
		return placed(ofUser)
	case ofUser:
		return Unplaced
	}
	return Above
}
