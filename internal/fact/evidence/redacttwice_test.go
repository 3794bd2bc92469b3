package evidence

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Evidence that is redacted twice is that of one redaction, byte for byte, however often it is done: with neighbors,
// servers of strangers and other processes.
func TestRedactedTwice(t *testing.T) {
	for _, full := range hosts(t) {
		want := string(text(t, full.Redact()))
		for range 20 { // keys of a map have no order
			if got := string(text(t, full.Redact().Redact())); got != want {
				t.Fatal(firstDifference(want, got))
			}
		}
	}
}

// TestRedactedTwiceOfAnyWords does so where words, names of parameters, columns
// and files are any: also such as redaction itself gives.
func TestRedactedTwiceOfAnyWords(tt *testing.T) {
	full := hosts(tt)
	rapid.Check(tt, func(t *rapid.T) {
		of := rapid.SampledFrom(full).Draw(t, "host")
		one := rapid.SampledFrom([]int{2, 30, 300, 3000}).Draw(t, "one word of")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		swap := func(s string) string {
			return anyWord.ReplaceAllStringFunc(s, func(w string) string {
				if r.IntN(one) == 0 {
					return odd[r.IntN(len(odd))]
				}
				return w
			})
		}
		a := New()
		for _, n := range of.Names() {
			to := n
			if r.IntN(40) == 0 {
				to = swap(n)
			}
			_ = a.Add(to, []byte(swap(string(of.files[n])))) // an invalid name is skipped
		}
		for _, m := range of.MissingFiles() {
			m.Reason, m.Reveal = swap(m.Reason), swap(m.Reveal)
			a.AddMissing(m)
		}
		want, got := string(text(tt, a.Redact())), string(text(tt, a.Redact().Redact()))
		if got != want {
			t.Fatal(firstDifference(want, got))
		}
	})
}

var anyWord = regexp.MustCompile(`[A-Za-z_.0-9/-]+`)

// odd are words that mean something to redaction, or look as if they did.
var odd = []string{"db1", "db01", "name2", "host3", "custom.param1", "app.role2", "name00001", "name1_x",
	"60-name00001.conf", "127.1", "127.acme", "10.0.0.1", "10.0.0.1:5432", "10.0.0.1:acme",
	"::1", "fe80::1%eth0", "::ffff:10.0.0.1", "fd00::1", "a:db3:b", "(redacted)", "redacted", "Shop", "shop", "SHOP",
	"äöü", "«q»", "x\u0301", "１２", "name９", "a b", "x.y", "a=b", "a.b=c", "a#b", `\040`,
	"data99999999", "postgres:", "[local]", "walsender", "/etc/acme=x", "%", "%%m", "*", "none", "1", "$libdir"}

// hosts are the evidence of testdata, and a host with what that one has not.
func hosts(t *testing.T) (out []*Archive) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.evidence")
	if err != nil || len(files) == 0 {
		t.Fatal("no evidence", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, a, beside(t, a))
	}
	return out
}

// beside is a host with neighbors: one that answers as the instance of a does, one that is stopped.
func beside(t *testing.T, a *Archive) *Archive {
	t.Helper()
	out := New()
	for _, n := range a.Names() {
		add(t, out, n, string(a.files[n]))
		if rest, ok := strings.CutPrefix(n, "pg/1/"); ok {
			add(t, out, "pg/2/"+rest, string(bytes.ReplaceAll(a.files[n], []byte("acme"), []byte("zenith"))))
		}
	}
	for _, m := range a.MissingFiles() {
		out.AddMissing(m)
	}
	for _, what := range []string{"access.json", "activity.json", "bin_dir"} {
		out.AddMissing(Missing{Name: "pg/3/" + what, State: 0, Reason: "the server of zenith_reports does not run",
			Reveal: "start the server"})
	}
	add(t, out, "instances.json", `[
{"key":"1","pid":100,"data_directory":"/srv/acme/main","port":5432,"socket_dir":"/srv/acme/run","running":true,`+
		`"bin_dir":"/opt/acme/bin","processes":[100],"unit":"acme-db.service","manager":"",`+
		`"stats_directory":"/srv/acme/stat","started_at":1,"notes":["of acme"]},
{"key":"2","pid":200,"data_directory":"/srv/zenith/main","port":5433,"socket_dir":"/srv/zenith/run","running":true,`+
		`"bin_dir":"/opt/zenith/bin","processes":[200],"unit":"zenith-db.service","started_at":1,"neighbour":true},
{"key":"3","data_directory":"/srv/zenith/reports","port":5434,"running":false,`+
		`"unit":"postgresql@16-zenith_reports.service","neighbour":true}]
`)
	add(t, out, "strangers.json",
		`[{"data_directory":"/srv/mallory/db","port":5999,"why":"it belongs to mallory","role":"mallory"}]`+"\n")
	add(t, out, "residents.json",
		`{"groups":[{"group":"/system.slice/acme-shop.service","enabled":true,"max":4294967296,"anon":1000,`+
			`"members":[{"start":1,"private":1048576}]},
{"group":"/user.slice/user-1000.slice/zenith.scope","members":[{"start":2,"private":2}]},
{"group":"/system.slice/zenith-db.service","servers":true,"members":[]}],"small":{"processes":3,"rss":4096}}`+"\n")
	return out
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		j := 0
		for j < len(a[i]) && j < len(b[i]) && a[i][j] == b[i][j] {
			j++
		}
		j = max(j-100, 0)
		return "redacted once:\n" + a[i][j:min(j+300, len(a[i]))] + "\nand twice:\n" + b[i][j:min(j+300, len(b[i]))]
	}
	return "one is longer"
}

// What else runs on the host is reported by cgroup, in the words of every system; what it holds, since when and within
// which limits stays.
func TestRedactResidents(t *testing.T) {
	a := New()
	add(t, a, "residents.json",
		`{"groups":[{"group":"/system.slice/acme-shop.service","enabled":true,"high":7,"max":4294967296,"anon":1000,`+
			`"members":[{"start":1,"private":1048576}]},
{"group":"/user.slice/user-1000.slice/acme.scope","members":[{"start":2,"private":2}],"owner":"alice"},`+
			`{"group":"/system.slice/docker.service","servers":true,"members":[]}],"small":{"processes":3,"rss":4096}}`)
	got, err := a.Redact().ReadFile("residents.json")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"groups":[{"anon":1000,"enabled":true,"group":"/system.slice/name1-name2.service","high":7,` +
		`"max":4294967296,"members":[{"private":1048576,"start":1}]},` +
		`{"group":"/user.slice/user-1000.slice/name1.scope","members":[{"private":2,"start":2}],` +
		`"owner":"(redacted)"},{"group":"/system.slice/docker.service","members":[],"servers":true}],` +
		`"small":{"processes":3,"rss":4096}}` + "\n"
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestLinePrefixKeepsCharacters: a % before a letter beyond ASCII is no escape, and must neither divide that letter nor
// make an escape of the word that replaces it.
func TestLinePrefixKeepsCharacters(t *testing.T) {
	r := newRedactor(New())
	for _, v := range []string{"%m äöü%äöü ", "%5é", "%-é%", "%é%%é"} {
		once := r.linePrefix(v)
		if twice := r.linePrefix(once); twice != once || !utf8.ValidString(once) || strings.Contains(once, "é") {
			t.Errorf("%q: once %q, twice %q", v, once, twice)
		}
	}
}

// TestRedactedTwiceOfAChoice: the choices of a user-defined parameter are removed, and with them the one that is set,
// which nothing else says to be harmless.
func TestRedactedTwiceOfAChoice(t *testing.T) {
	a := New()
	add(t, a, "pg/1/settings.json", `{"columns":["name","setting","vartype","source","enumvals","boot_val"],"rows":[`+
		`["acme.mode","replica","enum","default","{minimal,replica}","minimal"],`+
		`["wal_level","replica","enum","default","{minimal,replica}","replica"]]}`)
	once := a.Redact()
	want := string(text(t, once))
	if strings.Count(want, "replica") != 3 { // the three of wal_level
		t.Errorf("%s", want)
	}
	if got := string(text(t, once.Redact())); got != want {
		t.Error(firstDifference(want, got))
	}
}
