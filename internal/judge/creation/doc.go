// Package creation plans an instance that is not there yet: where it lies, what initdb is asked for, how its server is
// configured beside the instances that the host has already, who starts it, and what of the host changes. All of it is
// decided from what a person asks (Order) and what was found (Site, the directories, the snapshot), in this order:
//
//  1. Lay decides version, name, directories, owner, port, and who makes it, and refuses what names nothing.
//  2. Refuse looks at the directories that were found, and refuses before anything is touched.
//  3. Beside puts the instance into the snapshot, the existing ones as its neighbors, so that the rules plan it.
//  4. Make puts the decided values, the files and the steps together.
package creation
