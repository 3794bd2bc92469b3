package serverlogs

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// ErrCut is that of a packed log which is longer than its own end says, or than
// is read of one.
var ErrCut = errors.New("it is longer unpacked than is read of it")

// reader reads a part of a file.
type reader struct {
	io.Reader
	file io.Closer
}

func (r *reader) Close() error { return r.file.Close() }

// KeepEnd has Open give the last n bytes alone of a file that is not packed, from the
// beginning of a line on.
func (s *Source) KeepEnd(n int64) {
	// the end of the line before comes first: what is read begins behind one
	s.tail = max(0, s.Size-n-1)
	s.Size -= s.tail
}

func (s *Source) lines() (io.ReadCloser, error) {
	if s.Unit != "" {
		return io.NopCloser(bytes.NewReader(s.data[s.tail:])), nil // a record that is cut is skipped
	}
	f, err := s.view.Open(s.Path)
	if err != nil {
		return nil, err
	}
	if s.Packed {
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return &reader{&cut{z, s.Size}, f}, nil
	}
	if s.tail == 0 {
		return &reader{io.LimitReader(f, s.Size), f}, nil
	}
	r := bufio.NewReader(io.NewSectionReader(f, s.tail, s.Size))
	for { // to the beginning of a line, however long the one is that was cut
		if _, err := r.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	return &reader{r, f}, nil
}

// cut ends a reading at a limit with ErrLogCut, and before it as its reader does.
type cut struct {
	r    io.Reader
	left int64
}

func (c *cut) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if c.left <= 0 {
		var one [1]byte
		if n, err := c.r.Read(one[:]); n == 0 && err != nil {
			return 0, err
		}
		return 0, ErrCut
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}
