package pglog

import "io"

// rewriter is a stream whose lines become others: rewrite appends what a line becomes, nothing if it is skipped.
type rewriter struct {
	in      *lines
	rewrite func(to, line []byte) []byte
	out     []byte
	left    []byte
}

// Read implements io.Reader.
func (r *rewriter) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		line, ok := r.in.next()
		if !ok {
			if r.in.err != nil {
				return 0, r.in.err
			}
			return 0, io.EOF
		}
		r.out = r.rewrite(r.out[:0], line)
		r.left = r.out
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}
