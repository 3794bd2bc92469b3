package journal

// track follows one file through the steps of a journal, so that a change by others between them can be detected.
type track struct {
	origin File   // before our first step
	left   []File // what our last step left: after it, or before it if it was not finished
	alone  bool   // no step found anything but what the one before it had left
}

// follow takes in a step that is about to be taken.
func (j *Journal) follow(l *Line) {
	if l.Before.File == nil || l.After.File == nil {
		return
	}
	was, will := *l.Before.File, *l.After.File
	t := j.tracks[was.Path]
	if t == nil {
		if j.tracks == nil {
			j.tracks = map[string]*track{}
		}
		t = &track{origin: was, alone: true, left: []File{was}}
		j.tracks[was.Path] = t
	}
	t.alone = t.alone && t.leaves(was)
	t.left = []File{was, will}
}

func (t *track) leaves(f File) bool {
	for _, g := range t.left {
		if g.Same(f) {
			return true
		}
	}
	return false
}

// Origin returns a file as it was before the journal's first step on it, if only we have changed it since and c is the
// only change still in it. Whatever was done and undone in which order, this is what to restore, byte for byte.
func (j *Journal) Origin(c *Change, found File) (File, bool) {
	t := j.tracks[found.Path]
	if t == nil || !t.alone || !t.leaves(found) {
		return File{}, false
	}
	for i := range j.Changes {
		d := &j.Changes[i]
		if d.N != c.N && (d.Begun() || d.State == IsKept) && d.Will.File != nil && d.Will.File.Path == found.Path {
			return File{}, false
		}
	}
	return t.origin, true
}
