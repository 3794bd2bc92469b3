package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// numaPolicy is the property of a unit that is worth nothing without another one:
// with interleave and no NUMAMask=, and with nodes and no policy, systemd refuses to
// start the service (numa_policy_is_valid in src/shared/numa-util.c). So the two are
// one value, "interleave 0-1", and are written together.
const (
	numaPolicy = "NUMAPolicy"
	numaMask   = "NUMAMask"
)

// Assignments returns the lines of a unit for a property with a value, as pairs of name and value: one, except for a
// NUMA policy with its nodes.
func Assignments(property, value string) [][2]string {
	policy, nodes, ok := strings.Cut(value, " ")
	if property != numaPolicy || !ok {
		return [][2]string{{property, value}}
	}
	return [][2]string{{numaMask, nodes}, {numaPolicy, policy}}
}

// Property returns a property of a unit as one value, with what belongs to it.
func Property(of map[string]string, name string) (string, bool) {
	v, ok := of[name]
	if name != numaPolicy || !ok {
		return v, ok
	}
	if nodes, err := NodeList(of[numaMask]); err == nil && nodes != "" {
		return v + " " + nodes, true
	}
	return v, true
}

// LegalNUMAPolicy says why a policy with its nodes would keep a service from starting.
func LegalNUMAPolicy(value string) error {
	policy, nodes, _ := strings.Cut(value, " ")
	list, err := NodeList(nodes)
	switch {
	case err != nil:
		return err
	case policy == "default" || policy == "local":
		if list != "" {
			return fmt.Errorf("the policy %s takes no nodes", policy)
		}
	case policy != "interleave" && policy != "bind" && policy != "preferred":
		return fmt.Errorf("%q is not one of default, local, preferred, bind, interleave", policy)
	case list == "" || list != nodes:
		return fmt.Errorf("the policy %s needs its nodes, or the service does not start: write %s 0-1", policy, policy)
	}
	return nil
}

// maxNode is the largest number of a node that systemd takes (assumed if the kernel does not report it:
// src/shared/numa-util.c).
const maxNode = 1023

// NodeList spells a list of NUMA nodes in one way, whichever version of systemd wrote
// it: "0-1", "0,1" and "0 1" are "0-1".
func NodeList(text string) (string, error) {
	var nodes []int
	for f := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		from, to, ranged := strings.Cut(f, "-")
		if !ranged {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || a < 0 || a > b || b > maxNode {
			return "", fmt.Errorf("%q is not a list of NUMA nodes", text)
		}
		for n := a; n <= b; n++ {
			nodes = append(nodes, n)
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	var out []string
	for i := 0; i < len(nodes); {
		j := i
		for j+1 < len(nodes) && nodes[j+1] == nodes[j]+1 {
			j++
		}
		if i == j {
			out = append(out, strconv.Itoa(nodes[i]))
		} else {
			out = append(out, strconv.Itoa(nodes[i])+"-"+strconv.Itoa(nodes[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ","), nil
}
