// Package cloud knows what the names of cloud instance types tell: how many vCPUs and how much memory an instance has.
package cloud

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Types of instances of clouds, whose names tell their size by rule.
var (
	reAWS = regex.New(`(?i)(?:^|[^\w.])((?:db\.)?([a-z]{1,3}\d{1,2}[a-z]{0,4})\.` +
		`(nano|micro|small|medium|large|(\d{0,2})xlarge))(?:[^\w.-]|\.?$|\.\s)`)
	reAzure = regex.New(`\b((?:Standard_)?([DEFL])(\d{1,3})([a-z]{0,4})_?v([2-7]))\b`)
	reGCP   = regex.New(`\b((?:n1|n2d?|n4|e2|c2d?|c3d?|c4a?|t2[da])-(standard|highmem|highcpu)-(\d{1,3}))\b`)
	// Cloud SQL names vCPUs and megabytes
	reCloudSQL = regex.New(`\b((?:db|n1|n2|e2)-custom-(\d{1,3})-(\d{4,7}))\b`)
)

// awsMemory is the GB of memory per vCPU of the families of AWS, by the letters before the generation, from the
// generation on since which it holds. Older ones have other shares.
var awsMemory = map[string]struct {
	share float64
	since byte
}{"m": {4, '4'}, "c": {2, '5'}, "r": {8, '5'}, "x": {16, '2'}, "z": {8, '1'}, "i": {8, '4'}}

// awsBurst is the memory in GB of the sizes of the family t; all up to large have two vCPUs.
var awsBurst = map[string]float64{"nano": 0.5, "micro": 1, "small": 2, "medium": 4, "large": 8}

// An Instance is a type and what its name tells; zeros: it does not tell it.
type Instance struct {
	Name   string
	CPUs   int64
	Memory float64 // GB
}

// Instances are the types that a text names, each once.
func Instances(t string) []Instance {
	var out []Instance
	add := func(x Instance) {
		for _, o := range out {
			if strings.EqualFold(o.Name, x.Name) {
				return
			}
		}
		out = append(out, x)
	}
	if strings.Contains(t, "large") || strings.Contains(t, ".m") || strings.Contains(t, ".small") ||
		strings.Contains(t, ".nano") {
		for _, m := range reAWS.FindAllStringSubmatch(t, 10) {
			if x, ok := aws(m); ok {
				add(x)
			}
		}
	}
	for _, m := range reAzure.FindAllStringSubmatch(t, 10) {
		n := whole(m[3])
		if share := map[string]float64{"D": 4, "E": 8, "F": 2, "L": 8}[m[2]]; n > 0 {
			if strings.Contains(m[4], "l") { // Dlsv5 has half of it
				share /= 2
			}
			add(Instance{m[1], n, float64(n) * share})
		}
	}
	for _, m := range reGCP.FindAllStringSubmatch(t, 10) {
		n := whole(m[3])
		share := map[string]float64{"standard": 4, "highmem": 8, "highcpu": 1}[m[2]]
		switch {
		case strings.HasPrefix(m[1], "n1-"):
			share = map[string]float64{"standard": 3.75, "highmem": 6.5, "highcpu": 0.9}[m[2]]
		case strings.HasPrefix(m[1], "c"), strings.HasPrefix(m[1], "n4"): // highcpu differs by family
			if m[2] == "highcpu" {
				share = 2
			}
		}
		add(Instance{m[1], n, float64(n) * share})
	}
	for _, m := range reCloudSQL.FindAllStringSubmatch(t, 10) {
		n := whole(m[2])
		mb := whole(m[3])
		add(Instance{m[1], n, float64(mb) / 1024})
	}
	return out
}

// aws is what the name of a type of AWS tells.
func aws(m []string) (Instance, bool) {
	x := Instance{Name: m[1]}
	family := strings.ToLower(m[2])
	letters := strings.TrimRight(family, "abcdefghijklmnopqrstuvwxyz")
	at := strings.IndexAny(letters, "0123456789")
	kind, generation := letters[:at], letters[at]
	size := strings.ToLower(m[3])
	switch size {
	case "nano", "micro", "small":
		if kind != "t" {
			return x, false
		}
	case "medium":
		x.CPUs = 1
	case "large":
		x.CPUs = 2
	case "xlarge":
		x.CPUs = 4
	default:
		n := whole(m[4])
		x.CPUs = 4 * n
	}
	if kind == "t" {
		if x.CPUs < 2 {
			x.CPUs = 2
		}
		if x.Memory = awsBurst[size]; x.Memory == 0 {
			x.Memory = 4 * float64(x.CPUs)
		}
		if generation == '2' && x.Memory < 4 { // t2.nano to t2.small have one
			x.CPUs = 1
		}
		return x, true
	}
	rule, ok := awsMemory[kind]
	if ok && generation >= rule.since && family != "x2iedn" && family != "x2iezn" {
		x.Memory = float64(x.CPUs) * rule.share
	}
	return x, ok || strings.HasPrefix(m[1], "db.") || kind == "d" || kind == "g" || kind == "p" || kind == "is" ||
		kind == "im" || kind == "hpc" || kind == "u"
}

// whole is a number of digits; 0 if it is none.
func whole(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > 1<<20 {
		return 0
	}
	return n
}
