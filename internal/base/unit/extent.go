package unit

// Extent is how much there is in a folder.
type Extent struct {
	Files int
	Bytes int64
}
