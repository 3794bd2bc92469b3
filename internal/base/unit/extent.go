package unit

// Extent is how much there is in a directory.
type Extent struct {
	Files int
	Bytes int64
}
