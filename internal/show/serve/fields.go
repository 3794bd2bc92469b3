package serve

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// field is one question of a form, with what was answered and what is wrong
// with that.
type field struct {
	Name        string
	Label, Help say.Message
	Value       string
	Choices     []choice // a list to choose from; none: a text
	Digits      bool     // a whole number: a keyboard of digits
	Tick        bool     // yes or no
	Moment      bool     // a time
	Required    bool
	Wrong       say.Message // one line
}

type choice struct {
	Value  string
	Label  say.Message
	Chosen bool
}

// maxBackends is the most that max_connections takes on every version
// (MAX_BACKENDS, 2^18-1).
const maxBackends = 262143

// profiles are described as in the texts of a plan, in a few words.
var profiles = map[rule.Profile]say.Message{
	rule.Web:     say.M("web: many short requests"),
	rule.OLTP:    say.M("oltp: many short transactions"),
	rule.DW:      say.M("dw: few large reports"),
	rule.Mixed:   say.M("mixed: transactions and reports"),
	rule.Desktop: say.M("desktop: workstation with other programs"),
	rule.OneC:    say.Text("1c: 1C:Enterprise"),
}

// options turns names into a list to choose from, the first of them "not said".
func options(chosen string, unsaid say.Message, names []string, label func(string) say.Message) []choice {
	var out []choice
	if !unsaid.IsZero() {
		out = append(out, choice{"", unsaid, chosen == ""})
	}
	for _, n := range names {
		out = append(out, choice{n, label(n), n == chosen})
	}
	return out
}

func itself(s string) say.Message { return say.Text(s) }

// purpose are the questions about what a plan is for: of every plan.
func purpose(said url.Values, unsaid say.Message) []field {
	var names []string
	for _, p := range rule.Profiles {
		names = append(names, string(p))
	}
	return []field{
		{Name: "profile", Label: say.M("Profile"), Choices: options(said.Get("profile"), unsaid, names,
			func(n string) say.Message {
				return profiles[rule.Profile(n)]
			})},
		{Name: "connections", Label: say.M("Connections"), Help: say.M("max_connections; empty: unchanged"),
			Digits: true},
		{Name: "active", Label: say.M("Active sessions"),
			Help: say.M("expected peak; empty: from the profile and the CPUs"), Digits: true},
		{Name: "storage", Label: say.M("Storage"), Choices: options(said.Get("storage"),
			say.M("detected automatically"),
			[]string{"nvme", "ssd", "hdd", "san"}, storageLabel)},
		{Name: "shared", Label: say.M("Other programs share the host"), Tick: true},
	}
}

func storageLabel(n string) say.Message {
	return map[string]say.Message{"nvme": say.Text("NVMe"), "ssd": say.Text("SSD (SATA, SAS)"),
		"hdd": say.M("hard disks"), "san": say.M("SAN or network storage")}[n]
}

// asked reads the answers about the purpose. What is wrong is noted beside its
// question, and the answer left out.
func asked(said url.Values, fields []field) app.PlanAsk {
	a := app.PlanAsk{Profile: formValue(said, "profile"), Storage: formValue(said, "storage"),
		Shared: formValue(said, "shared") != ""}
	if a.Profile != "" {
		if _, err := rule.ParseProfile(a.Profile); err != nil {
			note(fields, "profile", say.OfError(err))
			a.Profile = ""
		}
	}
	if a.Storage != "" {
		if _, err := rule.ParseStorage(a.Storage); err != nil {
			note(fields, "storage", say.OfError(err))
			a.Storage = ""
		}
	}
	count := func(name string) int {
		v := formValue(said, name)
		if v == "" {
			return 0
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxBackends {
			note(fields, name, say.M("write a whole number from 1 to {most}", "most", strconv.Itoa(maxBackends)))
			return 0
		}
		return n
	}
	a.Connections, a.Active = count("connections"), count("active")
	return a
}

// hardware are the questions about a host that is not here.
func hardware(said url.Values) []field {
	majors := params.Majors()
	var versions []string
	for _, m := range slices.Backward(majors) {
		versions = append(versions, strconv.Itoa(m))
	}
	pg := said.Get("pg")
	if pg == "" {
		pg = strconv.Itoa(params.Newest())
	}
	return []field{
		{Name: "ram", Label: say.M("Memory"), Help: say.M("such as 64GB"), Required: true},
		{Name: "cpus", Label: say.M("CPUs"), Help: say.M("logical CPUs, as counted by nproc"), Digits: true},
		{Name: "pg", Label: say.Text("PostgreSQL"), Choices: options(pg, say.Message{}, versions, itself)},
	}
}

// further are the questions that most hosts need no answer to.
func further(said url.Values) []field {
	return []field{
		{Name: "swap", Label: say.M("Swap"), Help: say.M("such as 2GB; empty: none")},
		{Name: "disk", Label: say.M("Data disk"), Help: say.M("size, such as 500GB; limits the WAL")},
		{Name: "sockets", Label: say.M("Sockets"), Help: say.M("NUMA nodes; empty: one"), Digits: true},
		{Name: "cgroup", Label: say.M("Container memory limit"), Help: say.M("such as 8GB; empty: none")},
		{Name: "container", Label: say.M("Container"), Choices: options(said.Get("container"), say.M("none"),
			[]string{"docker", "podman", "kubernetes", "lxc", "systemd-nspawn"}, itself)},
		{Name: "kernel", Label: say.M("Kernel"), Help: say.M("release, such as 6.1.0")},
		{Name: "thp", Label: say.M("Transparent huge pages"), Choices: options(said.Get("thp"),
			say.M("always, the default of most distributions"), []string{"always", "madvise", "never"}, itself)},
	}
}

// words are those of the description that a form asks for, in the order in which
// a person would write them.
var words = []string{"ram", "swap", "cpus", "sockets", "storage", "disk", "pg", "cgroup", "container", "kernel", "thp"}

// described turns the answers into a description of a host, as --for takes it.
// Each answer is tried alone first, so that what is wrong stands beside its
// question.
func described(said url.Values, fields ...[]field) (spec string, ok bool) {
	ok = true
	wrong := func(name string, why say.Message) {
		ok = false
		for _, list := range fields {
			note(list, name, why)
		}
	}
	var pairs []string
	for _, name := range words {
		v := strings.ReplaceAll(formValue(said, name), " ", "") // "64 GB" is how people write it
		if v == "" {
			if name == "ram" {
				wrong(name, say.M("write how much memory the host has, such as 64GB"))
			}
			continue
		}
		pair := name + "=" + v
		try := pair
		if name != "ram" {
			try = "ram=64TB," + pair // any other word asks for it
		}
		_, err := snapshot.ParseDescription(try)
		switch {
		case strings.ContainsAny(v, ",="):
			wrong(name, say.M("write one value, without a comma"))
		case err != nil:
			wrong(name, because(err, pair))
		default:
			pairs = append(pairs, pair)
		}
	}
	if !ok {
		return "", false
	}
	spec = strings.Join(pairs, ",")
	if _, err := snapshot.ParseDescription(spec); err != nil { // what two answers say together
		name, _, _ := strings.Cut(err.Error(), "=")
		if !slices.Contains(words, name) {
			name = "ram"
		}
		wrong(name, because(err, ""))
	}
	return spec, ok
}

// because is an error without the pair that it names, which stands next to it.
func because(err error, pair string) say.Message {
	text := strings.TrimPrefix(err.Error(), pair+": ")
	if inner := errors.Unwrap(err); inner != nil && inner.Error() == text {
		return say.OfError(inner) // its words may be known in other languages
	}
	return say.Text(text)
}

// formValue is what was said once; of something said twice, the first.
func formValue(said url.Values, name string) string { return strings.TrimSpace(said.Get(name)) }

// fill puts what was said into the fields.
func fill(said url.Values, fields []field) {
	for i := range fields {
		fields[i].Value = said.Get(fields[i].Name)
	}
}

func note(fields []field, name string, why say.Message) {
	for i := range fields {
		if fields[i].Name == name && fields[i].Wrong.IsZero() {
			fields[i].Wrong = why
		}
	}
}

// wrongOnes reports whether something is wrong with one of them.
func wrongOnes(lists ...[]field) bool {
	for _, list := range lists {
		if slices.ContainsFunc(list, func(f field) bool { return !f.Wrong.IsZero() }) {
			return true
		}
	}
	return false
}
