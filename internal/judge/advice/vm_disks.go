package advice

// VmDisks: thin volumes pay for allocation at the first write; the WAL recycles its segments and pays once.
var VmDisks = Page{
	ID:    "vm-disks",
	Kind:  Advice,
	Title: "Virtual disks: thick, paravirtual, on RAID 10",
	Names: []string{"thin_provisioning", "thick", "pvscsi", "vmxnet3", "virtio", "passthrough", "rdm"},
	Text: []string{
		"Volumes that are allocated at the first write make that write slow, which is seen on new WAL segments first; wal_init_zero and " +
			"wal_recycle hide most of it, as segments are written once and used again. A thin pool that fills up stops the server: watch it " +
			"from outside. On ZFS and btrfs both settings are better off.",
		"Use the paravirtual drivers (virtio, PVSCSI and VMXNET3 on VMware). Volumes passed through from a SAN give a latency that is " +
			"easier to foresee than files on a shared store, and the flushes must reach the device in either case.",
	},
	Verify:  "lspci or ls -l /sys/block/*/device/driver in the guest.",
	Sources: []string{"dalibo-j1", "pg-config-wal"},
	See:     []string{"pg:wal_init_zero", "pg:wal_recycle", "write-cache"},
}
