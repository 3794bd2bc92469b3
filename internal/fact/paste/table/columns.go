package table

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Columns are the names of a head with the places where they begin.
type Columns struct {
	Names []string
	from  []int
}

// ColumnsOf reads a head.
func ColumnsOf(head string) Columns {
	var c Columns
	runes := []rune(head)
	for i := 0; i < len(runes); {
		if runes[i] == ' ' || runes[i] == '\t' {
			i++
			continue
		}
		j := i
		for j < len(runes) && runes[j] != ' ' && runes[j] != '\t' {
			j++
		}
		c.Names, c.from = append(c.Names, string(runes[i:j])), append(c.from, i)
		i = j
	}
	return c
}

// At is the place of a column; -1: there is none of this name.
func (c Columns) At(name string) int {
	for i, n := range c.Names {
		if n == name {
			return i
		}
	}
	return -1
}

// Cut parts a row at the places of the head. A value that stands to the right begins
// before its name: the blanks around it tell where.
func (c Columns) Cut(row string) map[string]string {
	out := map[string]string{}
	runes := []rune(row)
	start := 0
	for i, n := range c.Names {
		end := len(runes)
		if i+1 < len(c.Names) {
			end = min(c.from[i+1], len(runes))
			for end > start && end < len(runes) && runes[end-1] != ' ' {
				end--
			}
		}
		if start < end {
			out[n] = strings.TrimSpace(string(runes[start:end]))
		}
		start = max(start, end)
	}
	return out
}

// CommandTree is the branches that ps, top and htop draw before a command. The name of a login shell begins with -.
var CommandTree = regex.New("^[\\s│├└─|]*(?:`-+ ?|\\\\_ )?")

// Tree is the branches that lsblk, findmnt, ps and top draw before a name.
var Tree = regex.New("^[\\s│├└─|`-]*(?:\\\\_ )?")
