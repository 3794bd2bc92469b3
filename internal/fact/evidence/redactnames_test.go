package evidence

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// redactText redacts the text of an archive and returns it.
func redactText(t testing.TB, a *Archive) string {
	t.Helper()
	return string(text(t, a.Redact()))
}

// settingsFor returns an archive whose one instance has a few settings of text.
func settingsFor(t testing.TB, pairs ...string) *Archive {
	t.Helper()
	a := New()
	rows := make([]string, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		rows = append(rows, fmt.Sprintf(`[%q,%q,"string","configuration file"]`, pairs[i], pairs[i+1]))
	}
	add(t, a, "pg/1/settings.json", `{"columns":["name","setting","vartype","source"],"rows":[`+
		strings.Join(rows, ",")+`]}`)
	return a
}

// Addresses keep their reach, in every place and form, and the same one is the
// same word everywhere; of names of hosts the same holds.
func TestRedactAddresses(t *testing.T) {
	a := settingsFor(t, "listen_addresses",
		"localhost, 127.0.0.1,10.1.2.3, "+
			"8.8.4.4,zeus.acme.lan,*,::,2a01:4f8::77,fd12:3456::9,192.168.7.7,0.0.0.0,127.9.9.9,fe80::7")
	add(t, a, "pg/1/replicas.json",
		`{"columns":["application_name","client_addr","client_hostname"],"rows":[["x","10.1.2.3","zeus.acme.lan"],`+
			`["y","2a01:4f8::77",null]]}`)
	add(t, a, "proc/self/mountinfo",
		"30 1 0:40 / /mnt/a rw - nfs4 10.1.2.3:/srv rw\n31 1 0:41 / /mnt/b rw - nfs4 [2a01:4f8::77]:/srv rw\n32 1 "+
			"0:42 / /mnt/c rw - cifs //8.8.4.4/share rw\n")
	a.AddMissing(Missing{Name: "x",
		Reason: "dial tcp 8.8.4.4:5432: connect: refused by [fd12:3456::9]:5432, 192.168.7.7/24 and 10.1.2.3"})
	// letters that a hexadecimal number has, too, begin the word behind an address
	add(t, a, "proc/7/cgroup", "0::/2a01:4f8::77:acme\n1:name=x:/8.8.4.4.de.acme.lan/10.1.2.3:acme\n")
	got := redactText(t, a)
	for _, want := range []string{
		`"localhost, 127.0.0.1,10.0.0.1, 192.0.2.1,host`,
		`,*,::,2001:db8::1,fd00::1,10.0.0.2,0.0.0.0,127.0.1.1,fe80::1"`,
		`"10.0.0.1","host`, `"2001:db8::1",null`, " 10.0.0.1:/srv ", " [2001:db8::1]:/srv ", " //192.0.2.1/share ",
		"192.0.2.1:5432", "[fd00::1]:5432", "10.0.0.2/24", "10.0.0.1\"",
		"/2001:db8::1:name", "/192.0.2.1.name", "/10.0.0.1:name",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	for _, no := range []string{"10.1.2.3", "8.8.4.4", "acme", "4f8", "3456", "192.168", "9.9.9"} {
		if strings.Contains(got, no) {
			t.Errorf("%s is in\n%s", no, got)
		}
	}
}

// The pseudonym of any address is of its version and reach, no two addresses
// have one, and the length of a range stays.
func TestReachOfPseudonyms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []netip.Addr
		for _, b := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 16, 16), 1, 40).Draw(t, "bytes") {
			a, _ := netip.AddrFromSlice(b[:rapid.SampledFrom([]int{4, 16}).Draw(t, "length")])
			front := rapid.SampledFrom([]string{"", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8",
				"169.254.0.0/16", "100.64.0.0/10", "192.0.2.0/24", "224.0.0.0/8", "fe80::/10", "fc00::/7",
				"2001:db8::/32", "ff02::/16"}).Draw(t, "range")
			if p, err := netip.ParsePrefix(front); err == nil && p.Addr().Is4() == a.Is4() {
				s, f := a.AsSlice(), p.Addr().AsSlice()
				for i := range p.Bits() {
					bit := byte(0x80 >> (i % 8))
					s[i/8] = s[i/8]&^bit | f[i/8]&bit
				}
				a, _ = netip.AddrFromSlice(s)
			}
			all = append(all, a)
		}
		r := newRedactor(New())
		for _, a := range all {
			r.addr(a)
		}
		r.number()
		from := map[string]netip.Addr{}
		for _, a := range all {
			text := r.addr(a)
			p, err := netip.ParseAddr(text)
			if err != nil || p.Is4() != a.Is4() || reachOf(p) != reachOf(a) || p.IsUnspecified() != a.IsUnspecified() {
				t.Fatalf("%s became %s", a, text)
			}
			if o, ok := from[text]; ok && o != a {
				t.Fatalf("%s and %s became %s", a, o, text)
			}
			from[text] = a
			if p != a && !sameEverywhere(a) {
				for _, o := range all {
					if o == p {
						t.Fatalf("%s became %s, which is there too", a, p)
					}
				}
			}
			for _, bits := range []int{0, 8, 24, 32} {
				if got, ok := r.address(fmt.Sprintf("%s/%d", a, bits)); !ok || got != fmt.Sprintf("%s/%d", text, bits) {
					t.Fatalf("%s/%d became %s", a, bits, got)
				}
			}
		}
	})
}

// Names that read like pseudonyms are names as well: they are replaced, by other
// words than those of the archive; a redacted archive redacted again is the same.
func TestRedactPseudonyms(t *testing.T) {
	a := settingsFor(t, "cluster_name", "app2", "temp_tablespaces", "db1, tablespace3, none", "listen_addresses",
		"10.0.0.1,192.0.2.1")
	add(t, a, "pg/1/databases.json", `{"columns":["datname"],"rows":[["db1"],["role7"],["shop"],["postgres"]]}`)
	add(t, a, "pg/1/role_settings.json",
		`{"columns":["datname","rolname","name","setting"],"rows":[["shop","shop","search_path","\"$user\", shop, `+
			`public, x"]]}`)
	first := a.Redact()
	got := string(text(t, first))
	for _, no := range []string{"app2\"", "db1\"", "tablespace3", "role7", "shop", "10.0.0.1\"", "10.0.0.1,",
		"192.0.2.1\""} {
		if strings.Contains(got, no) {
			t.Errorf("%s is in\n%s", no, got)
		}
	}
	var db, role, schema int
	at := strings.Index(got, "role_settings.json")
	if _, err := fmt.Sscanf(got[strings.Index(got[at:], `"rows"`)+at:],
		`"rows":[["db%d","role%d","search_path","$user, schema%d,`, &db, &role, &schema); err != nil || db != role ||
		db != schema {
		t.Errorf("one name has the numbers %d, %d and %d (%v)\n%s", db, role, schema, err, got)
	}
	if again := redactText(t, first); again != got {
		t.Errorf("redacted again:\n%s\nfirst:\n%s", again, got)
	}
}

// Files that are read in the order of their names are so in the redacted archive.
func TestRedactKeepsOrderOfFiles(t *testing.T) {
	word := rapid.OneOf(rapid.StringMatching(`([0-9]{1,2}[-_.]?)?[a-z]{1,9}([-.][a-z]{1,3})?`),
		rapid.SampledFrom([]string{"60-postgresql", "99-sysctl", "10-local", "60-local-a", "local", "60-name00001",
			"README"}))
	rapid.Check(t, func(t *rapid.T) {
		a := New()
		list := rapid.SliceOfNDistinct(word, 1, 30, rapid.ID[string]).Draw(t, "files")
		for i, n := range list {
			dir := rapid.SampledFrom([]string{"etc/sysctl.d/", "usr/lib/sysctl.d/", "run/sysctl.d/"}).Draw(t, "dir")
			if err := a.Add(dir+n+".conf", []byte(fmt.Sprintf("vm.swappiness = %d\n", i))); err != nil {
				t.Fatal(err)
			}
		}
		order := func(a *Archive) string {
			byBase := map[string]string{}
			var bases []string
			for _, n := range a.Names() {
				if i := strings.LastIndexByte(n, '/'); i > 0 {
					bases = append(bases, n[i+1:])
					byBase[n[i+1:]] = string(a.files[n])
				}
			}
			return fmt.Sprint(inOrder(bases, byBase))
		}
		r := a.Redact()
		if want, got := order(a), order(r); want != got {
			t.Fatalf("%v are read in another order: %v", a.Names(), r.Names())
		}
		if again := r.Redact(); fmt.Sprint(again.Names()) != fmt.Sprint(r.Names()) {
			t.Fatalf("%v became %v", r.Names(), again.Names())
		}
	})
}

func inOrder(keys []string, values map[string]string) (out []string) {
	for len(keys) > 0 {
		least := 0
		for i, k := range keys {
			if k < keys[least] {
				least = i
			}
		}
		out = append(out, values[keys[least]])
		keys = append(keys[:least], keys[least+1:]...)
	}
	return out
}

// Values that the server refused may be anything, passwords among them, and so
// may words that are no parameter; a value of its type stays.
func TestRedactFileSettings(t *testing.T) {
	a := New()
	add(t, a, "pg/1/settings.json",
		`{"columns":["name","setting","vartype","source","enumvals","boot_val"],"rows":[["work_mem","4096","integer",`+
			`"default",null,"4096"],["fsync","on","bool","default",null,"on"],
["wal_level","replica","enum","default","{minimal,replica,logical}","replica"],["lc_messages","C","string","default",`+
			`null,""],["acme.url","http://secret","string","default",null,"http://secret"],["port","5432","integer",`+
			`"default",null,"5432"]]}`)
	add(t, a, "pg/1/file_settings.json",
		`{"columns":["name","setting","applied","error"],"rows":[["work_mem","secret","f","invalid value `+
			`secret"],["work_mem","0x10MB","t",null],["work_mem"," 64 MB ","t",null],["work_mem","1.5e3kB","t",null],
["fsync","FALSE","t",null],["fsync","secret","f","no"],["wal_level","Logical","t",null],["wal_level","secret","f",`+
			`"no"],["lc_messages","secret","f","no"],["lc_messages","de_DE.utf8","t",null],["secret","7","f",`+
			`"unrecognized"],["Secret.X","secret","t",null]]}`)
	got := redactText(t, a)
	if strings.Contains(strings.ToLower(got), "secret") {
		t.Errorf("a secret is in\n%s", got)
	}
	for _, want := range []string{`"0x10MB"`, `" 64 MB "`, `"1.5e3kB"`, `"FALSE"`, `"Logical"`, `"de_DE.utf8"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

// Names of pg_ are the server's own in some catalogs only, and so are those of extensions and workers; the rest belongs
// to users.
func TestRedactNamesLikeTheServers(t *testing.T) {
	a := New()
	add(t, a, "pg/1/databases.json", `{"columns":["datname"],"rows":[["pg_secret"],["template1"]]}`)
	add(t, a, "pg/1/deep_tables.json",
		`{"columns":["nspname","relname","relpages"],"rows":[["pg_catalog","pg_attribute","7"],["pg_toast",`+
			`"pg_toast_16384","7"],["secret","pg_secret_2","7"]]}`)
	add(t, a, "pg/1/slots.json",
		`{"columns":["slot_name"],"rows":[["pg_secret_3"],["pg_16399_sync_16385_7300000000000000000"],`+
			`["pg_basebackup_812"]]}`)
	add(t, a, "pg/1/extensions.json",
		`{"columns":["extname","extversion","default_version"],"rows":[["pg_stat_statements","1.10","1.11"],`+
			`["secret_ext","1.0-secret","1.0-secret"],["secret_ext2","1.0-secret","1.1"]]}`)
	add(t, a, "pg/1/sessions.json",
		`{"columns":["pid","backend_type"],"rows":[["1","client backend"],["2","secret worker"],["3","walsender"]]}`)
	got := redactText(t, a)
	if strings.Contains(got, "secret") {
		t.Errorf("a name is in\n%s", got)
	}
	for _, want := range []string{`"pg_attribute"`, `"pg_toast_16384"`, `"pg_16399_sync_16385_7300000000000000000"`,
		`"pg_basebackup_812"`, `"pg_stat_statements","1.10","1.11"`, `"client backend"`, `"walsender"`, `"template1"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
}

// Redacted evidence can be read, stays the same if redacted again, and a repeated setting is redacted consistently.
func FuzzRedact(f *testing.F) {
	f.Add("pg/1/settings.json",
		`{"columns":["name","setting","vartype"],"rows":[["listen_addresses","10.0.0.1, `+
			`::ffff:1.2.3.4","string"],["synchronous_standby_names","ANY 2 (\"a b\", c*)","string"]]}`)
	f.Add("proc/self/mountinfo", "30 1 0:40 / /mnt/a rw - nfs4 [2a01:4f8::77%eth0]:/srv rw\n")
	f.Add("etc/sysctl.d/60-name00001.conf", "vm.swappiness = 1\n")
	f.Add("redaction.json", `{"names":99,"addresses":{"4 private":7,"x":-1}}`)
	f.Add("proc/7/cmdline", "postgres: name1: db2 role3 10.0.0.1(5432) idle\x00")
	f.Fuzz(func(t *testing.T, name, data string) {
		a := New()
		if a.Add(name, []byte(data)) != nil {
			return
		}
		if err := a.Add("pg/1/databases.json",
			[]byte(`{"columns":["datname"],"rows":[["db1"],["name2"],["shop"]]}`)); err != nil {
			t.Fatal(err)
		}
		first := a.Redact()
		b, err := Parse(text(t, first))
		if err != nil {
			t.Fatal(err)
		}
		same(t, first, b)
		same(t, first, a.Redact())
		if once, again := redactText(t, a), redactText(t, first); once != again {
			t.Errorf("%q\nis redacted again to\n%q", once, again)
		}
	})
}
