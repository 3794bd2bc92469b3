package journal

// Same reports whether two files are alike byte for byte, with mode and owner. Of files that do not exist only the path
// counts.
func (f File) Same(g File) bool {
	if f.Path != g.Path || (f.Text == nil) != (g.Text == nil) {
		return false
	}
	return f.Text == nil || *f.Text == *g.Text && f.Mode == g.Mode && f.UID == g.UID && f.GID == g.GID
}

// SameFile reports whether two states have the same file, or both none.
func (s State) SameFile(t State) bool {
	if s.File == nil || t.File == nil {
		return s.File == t.File
	}
	return s.File.Same(*t.File)
}

// SameLive reports whether two states have the same live value, or both none.
func (s State) SameLive(t State) bool {
	if s.Live == nil || t.Live == nil {
		return s.Live == t.Live
	}
	return *s.Live == *t.Live
}

// Same reports whether two states are alike in both parts.
func (s State) Same(t State) bool { return s.SameFile(t) && s.SameLive(t) }

// Where describes where a state is kept: the path of its file, or that it is in the live value alone.
func (s State) Where() string {
	switch {
	case s.File != nil:
		return s.File.Path
	case s.Live != nil:
		return "the live value alone"
	}
	return ""
}
