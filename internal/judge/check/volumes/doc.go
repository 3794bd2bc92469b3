// Package volumes tells checks what lies under an instance's directories: mounts, block
// devices, what device mapper says of them, and data sets of ZFS.
package volumes
