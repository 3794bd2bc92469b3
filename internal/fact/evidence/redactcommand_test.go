package evidence_test

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Of what commands say about storage the numbers stay, the names become the
// same pseudonyms that they have elsewhere, and nothing else is left.
func TestRedactCommands(t *testing.T) {
	a := evidence.New()
	for name, text := range map[string]string{
		"proc/self/mountinfo":                 "30 1 0:40 / /secret rw - zfs secrettank/secretset rw\n",
		"sys/block/dm-3/dm/name":              "secretvg-secretlv\n",
		"sys/block/sda/cache_type":            "write back\n",
		"sys/block/bcache0/bcache/cache_mode": "writethrough [writeback]\n",
		"cmd/dmsetup-status": "secretvg-secretlv: 0 2048 thin-pool 1 10/1024 15/16 - rw " +
			"discard_passdown\nsecretother: 0 1 vendor secret /secret\nsecret\n",
		"cmd/dmsetup-table-snapshot": "secretvg-secretlv: 0 2048 snapshot 253:7 253:8 P 8\nx: 0 1 striped " +
			"1 /secret\n",
		"cmd/zfs-get": "secrettank/secretset\trecordsize\t131072\nsecrettank/secretset\tsync\tsécret\nsecrettank\tcomment\tsecret\n",
		"cmd/lsattr":  "----C--- /secret/secretdata\nlsattr: secret\n",
		"cmd/tune2fs": "# 8:2\nFilesystem features: dir_index\nLast mounted on: /secret\n",
		"cmd/apt-cache-policy": "# lists of 2026-11-27T04:26:30Z\npostgresql-15:\n" +
			"  Installed: 15.18-0+deb12u1secret\n  Candidate: 1:15.20-0+secret\n" +
			"  Version table:\n     15.20-0+secret 500\n" +
			"        500 http://mirror.secret.example secret/main amd64 Packages\npostgresql-secret:\n",
		"cmd/dnf-list": "secret\nInstalled Packages\npostgresql15-server.x86_64  15.18-1secret  @secret\n" +
			"Available Packages\npostgresql15-server.x86_64\n  15.20-1secret  secret\n" +
			"secret-server.x86_64 1.2 secret\n",
		"cmd/smartctl-scterc": "# sda\nSerial number: secret\n           Read:     70 (7.0 seconds)\n",
	} {
		if err := a.Add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	r := a.Redact()
	if got := written(t, r); strings.Contains(got, "secret") || strings.Contains(got, "sécret") {
		t.Errorf("still there:\n%s", got)
	}
	read := func(name string) string {
		b, err := r.ReadFile(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return string(b)
	}
	volume := strings.TrimSpace(read("sys/block/dm-3/dm/name"))
	dataset := strings.SplitN(strings.Split(read("proc/self/mountinfo"), " - ")[1], " ", 3)[1]
	for name, want := range map[string]string{
		"cmd/dmsetup-status":         volume + ": 0 2048 thin-pool 1 10/1024 15/16 - rw discard_passdown\n",
		"cmd/dmsetup-table-snapshot": volume + ": 0 2048 snapshot 253:7 253:8 P 8\n",
		"cmd/zfs-get":                dataset + "\trecordsize\t131072\n",
		"cmd/lsattr":                 "----C--- /",
		"cmd/tune2fs":                "# 8:2\nFilesystem features: dir_index\n",
		"cmd/smartctl-scterc":        "# sda\n",
		"cmd/apt-cache-policy": "# lists of 2026-11-27T04:26:30Z\npostgresql-15:\n  Installed: 15.18\n" +
			"  Candidate: 1:15.20\n",
		"cmd/dnf-list": "\nInstalled Packages\npostgresql15-server.x86_64 15.18 -\n" +
			"Available Packages\npostgresql15-server.x86_64\n15.20 -\n",
		"sys/block/sda/cache_type":            "write back\n",
		"sys/block/bcache0/bcache/cache_mode": "writethrough [writeback]\n",
	} {
		if got := read(name); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q does not begin with %q", name, got, want)
		}
	}
	if !strings.Contains(read("cmd/smartctl-scterc"), "Read:     70 (7.0 seconds)") {
		t.Error("the time of error recovery is gone")
	}
}
