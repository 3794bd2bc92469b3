package serve

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/app"
)

// TestFormOfAHost verifies that the form makes the description that --for takes, and that a wrong answer gives one line
// beside its own question.
func TestFormOfAHost(t *testing.T) {
	for said, want := range map[string]struct {
		spec  string
		wrong map[string]string // question → what its line has
	}{
		"ram=64GB":          {spec: "ram=64GB"},
		"ram=64+GB&cpus=16": {spec: "ram=64GB,cpus=16"},
		"ram=+8gb+&pg=15":   {spec: "ram=8gb,pg=15"},
		"ram=8GB&storage=nvme&swap=2GB&disk=500GB&sockets=2&cgroup=4GB&container=docker&kernel=6.1.0&thp=never&cpus=4": {
			spec: "ram=8GB,swap=2GB,cpus=4,sockets=2,storage=nvme,disk=500GB,cgroup=4GB,container=docker,kernel=6.1.0,thp=never"},
		"":               {wrong: map[string]string{"ram": "such as 64GB"}},
		"cpus=4":         {wrong: map[string]string{"ram": "such as 64GB"}},
		"ram=x":          {wrong: map[string]string{"ram": "is not an amount"}},
		"ram=1MB":        {wrong: map[string]string{"ram": "from 128 MB"}},
		"ram=64":         {wrong: map[string]string{"ram": "from 128 MB"}},
		"ram=8GB&cpus=0": {wrong: map[string]string{"cpus": "from 1 to 8192"}},
		"ram=x&cpus=-1&pg=9&thp=maybe": {wrong: map[string]string{"ram": "amount", "cpus": "8192", "pg": "13 to",
			"thp": "always, madvise, never"}},
		"ram=8GB&storage=tape":             {wrong: map[string]string{"storage": ""}},
		"ram=8GB,cpus=4":                   {wrong: map[string]string{"ram": "without a comma"}},
		"ram=8GB&kernel=6.1,set.fsync=off": {wrong: map[string]string{"kernel": "without a comma"}},
		"ram=8GB%09cpus=4":                 {wrong: map[string]string{"ram": "without a comma"}},
		"ram=8GB%09x":                      {wrong: map[string]string{"ram": ""}},
		"ram=8GB&cgroup=16GB":              {wrong: map[string]string{"cgroup": "limits nothing"}},
		"ram=8GB&cpus=2&sockets=4":         {wrong: map[string]string{"sockets": "at least one CPU"}},
		"ram=8GB&connections=0":            {wrong: map[string]string{"connections": "from 1 to 262143"}},
		"ram=8GB&active=1e9":               {wrong: map[string]string{"active": "from 1 to 262143"}},
		"ram=8GB&profile=games":            {wrong: map[string]string{"profile": ""}},
	} {
		t.Run(said, func(t *testing.T) {
			v, err := url.ParseQuery(said)
			if err != nil {
				t.Fatal(err)
			}
			q := ask(v)
			d, ok, err := planFor(t.Context(), v, q)
			if err != nil {
				t.Fatal(err)
			}
			if ok != (want.wrong == nil) || ok && d.spec != want.spec {
				t.Errorf("%v: %+v", ok, d)
			}
			have := map[string]string{}
			for _, list := range [][]field{q.hardware, q.purpose, q.further} {
				for _, f := range list {
					if !f.Wrong.IsZero() {
						have[f.Name] = f.Wrong.English()
					}
					if wrong := f.Wrong.English(); strings.Contains(wrong, "\n") ||
						strings.HasPrefix(wrong, f.Name+"="+v.Get(f.Name)+": ") {
						t.Errorf("%s: %q", f.Name, f.Wrong)
					}
				}
			}
			for name, part := range want.wrong {
				if have[name] == "" || !strings.Contains(have[name], part) {
					t.Errorf("%s: %q, want %q", name, have[name], part)
				}
				delete(have, name)
			}
			if len(have) > 0 {
				t.Errorf("more is wrong: %v", have)
			}
		})
	}
}

// TestWrongAnswersAreShown verifies that a wrong answer is answered with 422, its line is tied to its field for who
// hears the page, and what was said is kept.
func TestWrongAnswersAreShown(t *testing.T) {
	h, _ := started(t, nil)
	r := get(t, h.URL+"/plan/for?ram=%22%3E%3Cscript%3E&cpus=4&swap=x&profile=oltp")
	if r.StatusCode != http.StatusUnprocessableEntity {
		t.Fatal(r.Status)
	}
	for _, want := range []string{
		`<p class="wrong" id="w-ram">`, `aria-invalid="true" aria-describedby="w-ram h-ram"`,
		`value="&#34;&gt;&lt;script&gt;"`, `name="cpus" value="4"`,
		`<option value="oltp" selected>`, `<details class="more" open>`, `<p class="wrong" id="w-swap">`,
	} {
		if !strings.Contains(r.body, want) {
			t.Errorf("it lacks %s:\n%s", want, r.body)
		}
	}
	if n := strings.Count(r.body, `class="wrong" id=`); n != 2 {
		t.Errorf("%d lines of what is wrong", n)
	}
}

// TestFlags verifies that the command that is shown says what the form said, and that a shell reads it as it is meant.
func TestFlags(t *testing.T) {
	a := app.PlanAsk{Profile: "dw", Connections: 40, Active: 8, Storage: "san", Shared: true}
	if diff := cmp.Diff([]string{"--profile", "dw", "--connections", "40", "--active", "8", "--storage", "san",
		"--dedicated=false"}, planFlags(a)); diff != "" {
		t.Error(diff)
	}
	if f := planFlags(app.PlanAsk{}); len(f) != 0 {
		t.Errorf("nothing was said: %v", f)
	}
	for s, want := range map[string]string{"/srv/pg/17": "/srv/pg/17", "host=db1 user=x": "'host=db1 user=x'",
		"it's": `'it'\''s'`, "$(x)": "'$(x)'"} {
		if got := quoted(s); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q", s, got)
		}
	}
}
