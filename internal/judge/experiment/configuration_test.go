package experiment

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]ConfigurationText{
		"default":         {Base: BaseDefault},
		"current":         {Base: BaseCurrent},
		"plan":            {Base: BasePlan},
		"plan:oltp":       {Base: BasePlan, Profile: "oltp"},
		"./a+b.conf":      {Base: BaseFile, File: "./a+b.conf"},
		"pg:work_mem=1MB": {Base: BaseDefault, Over: []Setting{{"pg:work_mem", "1MB"}}},
		"default+pg:Work_Mem=64MB,jit=off+sysctl:vm.swappiness=1": {Base: BaseDefault,
			Over: []Setting{{"pg:work_mem", "64MB"}, {"pg:jit", "off"}, {"sysctl:vm.swappiness", "1"}}},
		"x.conf+pg:shared_preload_libraries=a,b,jit=on": {Base: BaseFile, File: "x.conf",
			Over: []Setting{{"pg:shared_preload_libraries", "a,b"}, {"pg:jit", "on"}}},
		"default+client:reconnect": {Base: BaseDefault,
			Over: []Setting{{Reconnect, "on"}}},
		"plan:1c+pg:a.b=x+client:reconnect": {Base: BasePlan, Profile: "1c",
			Over: []Setting{{"pg:a.b", "x"}, {Reconnect, "on"}}},
	} {
		got, err := ParseConfiguration(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		want.Text = text
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, bad := range []string{"", " ", "plan:", "pg:", "pg:work_mem", "default+pg:=1", "default+client:slow",
		"default+pg:a=1,a=2", "default+pg:a=1+pg:A=2", strings.Repeat("x", mostText+1)} {
		if s, err := ParseConfiguration(bad); err == nil {
			t.Errorf("%.40q is taken for %+v", bad, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"default+pg:a=1,b=2", "plan:oltp+client:reconnect", "+pg:=,", "pg:a=,,",
		"thp:x=1+sysctl:y=2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseConfiguration(text)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		for _, v := range s.Over {
			if v.Address == "" || seen[v.Address] {
				t.Fatalf("%q: %+v", text, s.Over)
			}
			seen[v.Address] = true
		}
		if _, err := NewConfiguration(s, nil, nil); err != nil && !strings.Contains(text, "sysctl:") &&
			!strings.Contains(text, "thp:") {
			t.Fatalf("%q: %v", text, err)
		}
	})
}

// TestSettleLeavesOutAndSays verifies that what a scratch instance cannot hold is gone from the settings and named, and
// that nothing else is.
func TestSettleLeavesOutAndSays(t *testing.T) {
	s, err := ParseConfiguration("conf+pg:work_mem=1MB")
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewConfiguration(s, map[string]string{
		"Data_Directory": "/srv/pg", "port": "5433", "ssl": "on", "ssl_cert_file": "x", "archive_command": "cp",
		"log_directory": "log", "lc_messages": "fr_FR",
		"synchronous_standby_names": "*", "shared_preload_libraries": `pg_stat_statements, "timescaledb"`,
		"pg_stat_statements.max": "1000", "timescaledb.max_background_workers": "16",
		"shared_buffers": "1GB", "log_min_duration_statement": "0", "work_mem": "4MB",
	}, map[knob.Address]string{"sysctl:vm.swappiness": "1"})
	if err != nil {
		t.Fatal(err)
	}
	a.OmitUnsupported(func(lib string) bool { return lib == "pg_stat_statements" })
	want := map[string]string{"shared_buffers": "1GB", "log_min_duration_statement": "0", "work_mem": "1MB",
		"shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.max": "1000"}
	if diff := cmp.Diff(want, a.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	var gone []string
	for _, l := range a.Omitted {
		if l.Why.IsZero() {
			t.Errorf("%s is left out without a reason", l.Name)
		}
		gone = append(gone, l.Name)
	}
	if want := "archive_command data_directory lc_messages log_directory port shared_preload_libraries ssl " +
		"ssl_cert_file synchronous_standby_names timescaledb.max_background_workers"; strings.Join(gone, " ") != want {
		t.Errorf("left out:\n%s\nwant\n%s", strings.Join(gone, " "), want)
	}
	if a.Kernel["sysctl:vm.swappiness"] != "1" {
		t.Error("the kernel's part is gone")
	}
}

// TestSettleRunsNothingOfOthers verifies that an instance's own settings, and a file's, make the scratch instance run
// nothing that was not written by the person.
func TestSettleRunsNothingOfOthers(t *testing.T) {
	base := map[string]string{
		"shared_preload_libraries":  "/home/m/x.so, plperl, ../../home/m/y, $libdir/auto_explain, $libdir/../../m",
		"session_preload_libraries": "/home/m/z.so",
		"jit_provider":              "../../../home/m/x", "plperl.on_init": "system('id')", "plperl.use_strict": "on",
		"auto_explain.log_format": "json",
		"archive_command":         "id", "archive_library": "/home/m/x", "ssl_passphrase_command": "id",
		"restore_command": "id", "archive_cleanup_command": "id", "recovery_end_command": "id",
		"dynamic_library_path": "/home/m", "extension_control_path": "/home/m",
		"oauth_validator_libraries": "/home/m/x.so",
	}
	everything := func(string) bool { return true }
	settled := func(text string) map[string]string {
		t.Helper()
		s, err := ParseConfiguration(text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := NewConfiguration(s, base, nil)
		if err != nil {
			t.Fatal(err)
		}
		a.OmitUnsupported(everything)
		return a.Settings
	}
	want := map[string]string{"shared_preload_libraries": "plperl, $libdir/auto_explain", "plperl.use_strict": "on",
		"auto_explain.log_format": "json"}
	if diff := cmp.Diff(want, settled("current")); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	own := settled("current+pg:shared_preload_libraries=/srv/x.so,plperl+pg:plperl.on_init=elog('x y')")
	if own["shared_preload_libraries"] != "/srv/x.so, plperl" || own["plperl.on_init"] != "elog('x y')" {
		t.Errorf("what was typed is not taken: %v", own)
	}
}

func TestDiffer(t *testing.T) {
	make := func(text string) *Configuration {
		s, err := ParseConfiguration(text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := NewConfiguration(s, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return &a
	}
	for _, c := range []struct {
		a, b string
		want string // addresses
	}{
		{"default", "default", ""},
		{"pg:work_mem=64MB", "pg:work_mem=65536kB", ""},
		{"default", "pg:work_mem=4MB", ""}, // spelled out, it is the default still
		{"default", "pg:jit=TRUE", ""},
		{"default", "pg:huge_pages=TRY", ""},
		{"default", "pg:fsync=0", "pg:fsync"},
		{"default", "pg:shared_buffers=128MB", ""},
		{"default", "pg:shared_buffers=6GB,work_mem=5MB", "pg:shared_buffers pg:work_mem"},
		{"sysctl:vm.swappiness=1", "sysctl:vm.swappiness=10", "sysctl:vm.swappiness"},
		{"default", "client:reconnect", "client:reconnect"},
		{"pg:a.b=1", "pg:a.b=2", "pg:a.b"},
		{"pg:a.b=1", "default", "pg:a.b"},
	} {
		var got []string
		for _, d := range Differences(make(c.a), make(c.b), 17) {
			got = append(got, d.Address)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s against %s: %v, want %q", c.a, c.b, got, c.want)
		}
	}
	d := Differences(make("default"), make("pg:max_wal_size=8GB,work_mem=1MB"), 17)
	if got := CheckpointSettings(d); !slices.Equal(got, []string{"max_wal_size"}) {
		t.Errorf("PutsOff: %v", got)
	}
}

func TestCautions(t *testing.T) {
	for settings, want := range map[string]string{"fsync": "never recommended", "full_page_writes": "never recommended",
		"synchronous_commit": "may be lost", "autovacuum": "never recommended"} {
		a := Configuration{Settings: map[string]string{settings: "off"}}
		if got := a.Cautions(); len(got) != 1 || !strings.Contains(got[0].English(), want) ||
			!strings.HasPrefix(got[0].English(), settings) {
			t.Errorf("%s: %v", settings, got)
		}
		a.Settings[settings] = "on"
		if got := a.Cautions(); len(got) != 0 {
			t.Errorf("%s = on: %v", settings, got)
		}
	}
}

func TestBuffers(t *testing.T) {
	for value, want := range map[string]unit.Bytes{"": 128 * unit.MB, "6GB": 6 * unit.GB, "16384": 128 * unit.MB,
		"much": 0} {
		a := Configuration{Settings: map[string]string{"shared_buffers": value}}
		if value == "" {
			delete(a.Settings, "shared_buffers")
		}
		if got := a.Buffers(17); got != want {
			t.Errorf("shared_buffers = %q: %s, want %s", value, got, want)
		}
	}
}
