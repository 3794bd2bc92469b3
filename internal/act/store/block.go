package store

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// A block is the points or buckets of one series, one level and one span, packed
// by column. All integers are varints; signed ones zigzag, as encoding/binary
// writes them.
//
//	byte     1, the version of the form
//	uvarint  n
//	column   times: of points ms, of buckets steps, since the start of the block
//	column   values of points; or of buckets: n, min, max, mean, last, one column each
//
// A column is one byte that says how, then its n values:
//
//	0  all are the same: one float64, little endian
//	1  integers: a byte s, then the differences of value >> s, the first from 0
//	2  differences of the bits of float32, the first from 0
//	3  differences of the bits of float64, the first from 0
//
// The bits of two floats of one sign that are near each other are near each other
// as integers, so that differences are short: what a filter of XOR does for
// numbers that repeat, this does for those that waver.
const (
	blockForm  = 1
	colSame    = 0
	colInt     = 1
	colFloat32 = 2
	colFloat64 = 3

	// blockMost bounds the entries that a block is believed to have: an hour of
	// samples of every 10 ms.
	blockMost = 360_000
	// blockBytes bounds its length, of what another may have put there: an entry
	// takes 12 bytes.
	blockBytes = 8 << 20
	// sampleBytes bounds a sample: pointsMost points of 40 bytes take 160 kB.
	sampleBytes = 1 << 20
)

var errBlock = say.Err("a block is damaged")

// bucket is Bucket with the time in ms.
type bucket struct {
	at, n                int64
	min, max, mean, last float64
}

// exactly is the greatest integer up to which all are float64.
const exactly = 1 << 53

// rounded is a value as it is kept: integers as they are, others to the 24 bits
// of float32, about seven digits: no measure of ours is truer than that.
func rounded(v float64) float64 {
	if v == math.Trunc(v) && math.Abs(v) <= exactly {
		return v + 0 // not -0
	}
	if r := float64(float32(v)); !math.IsInf(r, 0) {
		return r
	}
	return v
}

func packBlock(l level, start int64, list []bucket) []byte {
	out := append(make([]byte, 0, 16+12*len(list)), blockForm)
	out = binary.AppendUvarint(out, uint64(len(list)))
	col := make([]float64, len(list))
	pick := func(f func(*bucket) float64) {
		for i := range list {
			col[i] = f(&list[i])
		}
		out = packColumn(out, col)
	}
	unit := max(l.step, ms)
	pick(func(b *bucket) float64 { return float64((b.at - start) / unit) })
	if l.step == 0 {
		pick(func(b *bucket) float64 { return b.last })
		return out
	}
	pick(func(b *bucket) float64 { return float64(b.n) })
	pick(func(b *bucket) float64 { return b.min })
	pick(func(b *bucket) float64 { return b.max })
	pick(func(b *bucket) float64 { return rounded(b.mean) }) // a sum of roundings has more digits than are true
	pick(func(b *bucket) float64 { return b.last })
	return out
}

// unpackBlock reads what packBlock wrote, or what was put in its place. The list reuses the memory of the given one, as
// far as it suffices.
func unpackBlock(list []bucket, l level, start int64, data []byte) ([]bucket, error) {
	if len(data) == 0 || data[0] != blockForm {
		return nil, errBlock
	}
	n, size := binary.Uvarint(data[1:])
	if size <= 0 || n > blockMost {
		return nil, errBlock
	}
	c := columns{data: data[1+size:], n: int(n)}
	list = slices.Grow(list[:0], int(n))[:n]
	unit := max(l.step, ms)
	before := int64(math.MinInt64)
	c.read(func(i int, v float64) {
		if !(v >= 0 && v < float64(l.span/unit)) || v != math.Trunc(v) {
			c.bad = true
			return
		}
		list[i].at = start + int64(v)*unit
		if list[i].at <= before {
			c.bad = true
		}
		before = list[i].at
	})
	if l.step == 0 {
		c.read(func(i int, v float64) {
			b := &list[i]
			b.n, b.min, b.max, b.mean, b.last = 1, v, v, v, v
		})
	} else {
		c.read(func(i int, v float64) {
			if !(v >= 1 && v <= exactly) || v != math.Trunc(v) {
				c.bad = true
				return
			}
			list[i].n = int64(v)
		})
		c.read(func(i int, v float64) { list[i].min = v })
		c.read(func(i int, v float64) { list[i].max = v })
		c.read(func(i int, v float64) { list[i].mean = v })
		c.read(func(i int, v float64) { list[i].last = v })
	}
	if c.bad || len(c.data) != 0 {
		return nil, errBlock
	}
	return list, nil
}

func packColumn(out []byte, col []float64) []byte {
	same, whole, short := true, true, true
	zeros := 63
	for _, v := range col {
		same = same && v == col[0]
		if v != math.Trunc(v) || math.Abs(v) > exactly {
			whole = false
		} else if v != 0 {
			zeros = min(zeros, bits.TrailingZeros64(uint64(int64(v))))
		}
		short = short && float64(float32(v)) == v
	}
	switch before := int64(0); {
	case same && len(col) > 0:
		out = append(out, colSame)
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(col[0]))
	case whole:
		out = append(out, colInt, byte(zeros))
		for _, v := range col {
			k := int64(v) >> zeros
			out = binary.AppendVarint(out, k-before)
			before = k
		}
	case short:
		out = append(out, colFloat32)
		for _, v := range col {
			k := int64(math.Float32bits(float32(v)))
			out = binary.AppendVarint(out, k-before)
			before = k
		}
	default:
		out = append(out, colFloat64)
		for _, v := range col {
			k := int64(math.Float64bits(v))
			out = binary.AppendVarint(out, k-before)
			before = k
		}
	}
	return out
}

// columns reads one column after the other; bad once something was not as it must be.
type columns struct {
	data []byte
	n    int
	bad  bool
}

func (c *columns) read(put func(i int, v float64)) {
	if c.bad || len(c.data) == 0 {
		c.bad = true
		return
	}
	how, shift := c.data[0], 0
	c.data = c.data[1:]
	switch {
	case how == colSame && len(c.data) >= 8:
		v := math.Float64frombits(binary.LittleEndian.Uint64(c.data))
		c.data = c.data[8:]
		for i := 0; i < c.n; i++ {
			c.put(i, v, put)
		}
		return
	case how == colInt && len(c.data) > 0 && c.data[0] < 64:
		shift = int(c.data[0])
		c.data = c.data[1:]
	case how == colFloat32, how == colFloat64:
	default:
		c.bad = true
		return
	}
	var k int64
	for i := 0; i < c.n; i++ {
		d, size := binary.Varint(c.data)
		if size <= 0 {
			c.bad = true
			return
		}
		c.data = c.data[size:]
		k += d
		switch how {
		case colInt:
			c.put(i, float64(k<<shift), put)
		case colFloat32:
			c.put(i, float64(math.Float32frombits(uint32(k))), put)
		default:
			c.put(i, math.Float64frombits(uint64(k)), put)
		}
	}
}

func (c *columns) put(i int, v float64, put func(int, float64)) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		c.bad = true
		return
	}
	put(i, v)
}

// join adds the buckets of two lists that are each in the order of their time.
// Buckets of the same time are of different samples, and become one: b came later.
func join(a, b []bucket) []bucket {
	if len(a) == 0 {
		return slices.Clone(b)
	}
	out := make([]bucket, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].at < b[0].at:
			out, a = append(out, a[0]), a[1:]
		case a[0].at > b[0].at:
			out, b = append(out, b[0]), b[1:]
		default:
			a[0].add(b[0])
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// add takes a later bucket in.
func (b *bucket) add(o bucket) {
	n := b.n + o.n
	b.mean += (o.mean - b.mean) * (float64(o.n) / float64(n))
	b.min, b.max, b.last, b.n = min(b.min, o.min), max(b.max, o.max), o.last, n
}

// coarsen makes buckets of step ms out of finer ones, in the order of their time.
func coarsen(list []bucket, step int64) []bucket {
	if len(list) == 0 {
		return nil
	}
	out := make([]bucket, 0, min(int64(len(list)), (list[len(list)-1].at-list[0].at)/step+2))
	for _, b := range list {
		at := floor(b.at, step)
		if n := len(out); n > 0 && out[n-1].at == at {
			out[n-1].add(b)
			continue
		}
		b.at = at
		out = append(out, b)
	}
	return out
}
