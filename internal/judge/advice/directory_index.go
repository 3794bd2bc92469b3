package advice

// DirectoryIndex: dir_index is a feature of the filesystem, not an option of the mount.
var DirectoryIndex = Page{
	ID:    "directory-index",
	Kind:  Advice,
	Title: "ext4 has hashed directories by default",
	Names: []string{"dir_index", "tune2fs", "e2fsck_-d"},
	Text: []string{
		"dir_index makes looking up a file in a folder of thousands quick, and is on in every ext4 made since it exists. Where an old " +
			"filesystem lacks it: tune2fs -O dir_index, and e2fsck -D with the filesystem unmounted, to index the folders that exist. XFS has " +
			"no such switch and needs none.",
	},
	Verify:  "tune2fs -l /dev/DEV | grep features.",
	Sources: []string{"linux-ext4", "dalibo-j1"},
}
