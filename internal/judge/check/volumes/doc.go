// Package volumes tells checks what lies under an instance's directories: mounts, block
// devices, what device mapper reports of them, and ZFS datasets.
package volumes
