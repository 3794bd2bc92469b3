package conftext

import "testing"

// TestFenceOfCloudNativePG: a part of its manifest is known by its keys, also without the count of instances.
func TestFenceOfCloudNativePG(t *testing.T) {
	const settings = "  postgresql:\n    parameters:\n      work_mem: 12MB\n      max_connections: \"210\"\n"
	for text, want := range map[string]Form{
		"spec:\n  instances: 3\n" + settings:                                                          CNPG,
		"spec:\n  bootstrap:\n    initdb:\n      database: app\n      owner: app\n" + settings:        CNPG,
		"spec:\n" + settings + "    synchronous:\n      method: any\n      number: 1\n":               CNPG,
		"bootstrap:\n  dcs:\n    postgresql:\n      parameters:\n        work_mem: 12MB\n  initdb:\n": Patroni,
	} {
		if got := Read(text).Form; got != want {
			t.Errorf("%q is of %q, not %q", text, got, want)
		}
	}
}
