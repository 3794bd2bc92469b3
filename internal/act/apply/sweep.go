package apply

// sweep removes what a step that was killed has left half-written beside its
// file: nobody else would, and a folder that we made stays while it is there.
// That it cannot be removed keeps nobody from going on.
func (e *engine) sweep() {
	done := map[string]bool{}
	for i := range e.log.Changes {
		f := e.log.Changes[i].Will.File
		if f == nil || done[f.Path] {
			continue
		}
		done[f.Path] = true
		if err := e.w.Target.Sweep(f.Path); err != nil {
			e.w.tell(err.Error())
		}
	}
}
