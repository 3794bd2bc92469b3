package hosts

import (
	"strings"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// stacks are the ways in which the data may be on disks, the device that holds the filesystem first: NAME:KIND and
// after > what it is on.
var stacks = []string{
	"nvme0n1:disk", "vda1:partition>vda vda:disk", "sda2:partition>sda sda:disk", "loop0:loop", "rbd0:disk",
	"zram1:zram",
	"md0:md>sda,sdb sda:disk sdb:disk", "dm-0:dm>sda,sdb sda:disk sdb:disk",
	"dm-4:dm>md127 md127:md>nvme0n1p2,nvme1n1p2 nvme0n1p2:partition>nvme0n1 nvme1n1p2:partition>nvme1n1 " +
		"nvme0n1:disk nvme1n1:disk",
	"dm-1:dm>sda3,bcache0 sda3:partition>sda bcache0:bcache>sdb,nvme0n1 sda:disk sdb:disk nvme0n1:disk",
}

// devices draws what the data is on, with queues from right to odd, and how it is mounted.
func devices(t *rapid.T, d *snapshot.Description) {
	some := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	for _, text := range strings.Fields(some("stack", stacks...)) {
		front, below, _ := strings.Cut(text, ">")
		name, kind, _ := strings.Cut(front, ":")
		v := snapshot.Device{Name: name, Kind: kind, Below: strings.FieldsFunc(below, func(c rune) bool {
			return c == ','
		}), Attributes: map[string]string{}}
		if strings.HasPrefix(name, "sd") && kind == "disk" {
			v.Driver = "sd"
		}
		if kind == "dm" {
			v.Attributes["dm/name"] = some("volume", "vg0-data", "mpatha", "odd name")
			v.Attributes["dm/uuid"] = some("uuid", "LVM-x", "mpath-x", "CRYPT-x")
		}
		if kind != "partition" {
			set := func(attribute string, of ...string) {
				if text := some(attribute, of...); text != "" {
					v.Attributes["queue/"+attribute] = text
				}
			}
			set("rotational", "0", "1", "")
			set("read_ahead_kb", "0", "16", "128", "512", "4096", "4100", "8192", "16384", "65532", "")
			set("optimal_io_size", "0", "65536", "3145728", "33553920", "")
			if kind == "disk" {
				set("scheduler", "[none] mq-deadline kyber bfq", "none [mq-deadline] kyber bfq",
					"none mq-deadline [kyber] bfq", "none mq-deadline kyber [bfq]",
					"noop deadline [cfq]", "[bfq]", "none [bfq]", "[kyber] none", "")
			} else {
				set("scheduler", "none", "[none] mq-deadline", "")
			}
		}
		d.Devices = append(d.Devices, v)
	}
	d.Mount = some("mount", "rw,noatime", "rw,relatime", "rw", "rw", "rw", "ro", "rw,nosuid")
	line := "/dev/data /var/lib/postgresql ext4 " + some("options", "defaults", "strictatime", "defaults,strictatime",
		"noatime", "strictatime,nosuid", "bind", "") + "\n"
	d.Fstab = some("fstab", "", line, "/dev/root / ext4 defaults 0 1\n"+line, line+"# the end\n",
		line+"x /var/lib/postgresql/ ext4 x\n", "# nothing\n")
}
