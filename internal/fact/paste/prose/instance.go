package prose

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
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

// An instance is a type and what its name tells; zeros: it tells it not.
type instance struct {
	name   string
	cpus   int64
	memory float64 // GB
}

// instances are the types that a text names, each once.
func instances(t string) []instance {
	var out []instance
	add := func(x instance) {
		for _, o := range out {
			if strings.EqualFold(o.name, x.name) {
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
		n, _ := amount.Whole(m[3])
		if share := map[string]float64{"D": 4, "E": 8, "F": 2, "L": 8}[m[2]]; n > 0 {
			if strings.Contains(m[4], "l") { // Dlsv5 has half of it
				share /= 2
			}
			add(instance{m[1], n, float64(n) * share})
		}
	}
	for _, m := range reGCP.FindAllStringSubmatch(t, 10) {
		n, _ := amount.Whole(m[3])
		share := map[string]float64{"standard": 4, "highmem": 8, "highcpu": 1}[m[2]]
		switch {
		case strings.HasPrefix(m[1], "n1-"):
			share = map[string]float64{"standard": 3.75, "highmem": 6.5, "highcpu": 0.9}[m[2]]
		case strings.HasPrefix(m[1], "c"), strings.HasPrefix(m[1], "n4"): // highcpu differs by family
			if m[2] == "highcpu" {
				share = 2
			}
		}
		add(instance{m[1], n, float64(n) * share})
	}
	for _, m := range reCloudSQL.FindAllStringSubmatch(t, 10) {
		n, _ := amount.Whole(m[2])
		mb, _ := amount.Whole(m[3])
		add(instance{m[1], n, float64(mb) / 1024})
	}
	return out
}

// aws is what the name of a type of AWS tells.
func aws(m []string) (instance, bool) {
	x := instance{name: m[1]}
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
		x.cpus = 1
	case "large":
		x.cpus = 2
	case "xlarge":
		x.cpus = 4
	default:
		n, _ := amount.Whole(m[4])
		x.cpus = 4 * n
	}
	if kind == "t" {
		if x.cpus < 2 {
			x.cpus = 2
		}
		if x.memory = awsBurst[size]; x.memory == 0 {
			x.memory = 4 * float64(x.cpus)
		}
		if generation == '2' && x.memory < 4 { // t2.nano to t2.small have one
			x.cpus = 1
		}
		return x, true
	}
	rule, ok := awsMemory[kind]
	if ok && generation >= rule.since && family != "x2iedn" && family != "x2iezn" {
		x.memory = float64(x.cpus) * rule.share
	}
	return x, ok || strings.HasPrefix(m[1], "db.") || kind == "d" || kind == "g" || kind == "p" || kind == "is" ||
		kind == "im" || kind == "hpc" || kind == "u"
}

// byInstance is the note of numbers that no one measured or wrote.
const byInstance = "CPUs and memory are from the name of the instance type"

// instanceFacts are what the types in a line say; two of them are of two machines.
func instanceFacts(t string) (facts []part.Fact) {
	all := instances(t)
	for _, x := range all {
		of := ""
		if len(all) > 1 {
			of = x.name
		}
		facts = append(facts, part.Word("instance.type", of, x.name))
		if x.cpus > 0 {
			facts = append(facts, part.Count("stated.cpus", of, x.cpus))
		}
		if x.memory > 0 {
			facts = append(facts, part.Bytes("stated.memory", of, int64(math.Round(x.memory*amount.GB))))
		}
	}
	return facts
}
