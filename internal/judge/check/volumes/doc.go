// Package volumes describes for checks what is below an instance's directories: mounts, block
// devices, what device mapper reports of them, and ZFS datasets.
package volumes
