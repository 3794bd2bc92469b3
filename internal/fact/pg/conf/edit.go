package conf

import (
	"fmt"
	"strings"
)

// Get returns the value that a text itself gives a setting: its last line of
// that name. Files that it includes are not looked at.
func Get(text, name string) (value string, ok bool) {
	for _, l := range Parse(text) {
		if l.Name != "" && Same(l.Name, name) {
			value, ok = l.Value, true
		}
	}
	return value, ok
}

// Set returns the text with the setting's last line replaced, or one added at
// the end. Every other byte stays.
func Set(text, name, value string) (string, error) {
	entry, err := Entry(name, value)
	if err != nil {
		return "", err
	}
	lines := Parse(text)
	last := -1
	for i, l := range lines {
		if l.Name != "" && Same(l.Name, name) {
			last = i
		}
	}
	if last >= 0 {
		lines[last].Text = entry
		return Format(lines), nil
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + entry, nil
}

// Remove returns the text without any line that sets the setting.
func Remove(text, name string) string {
	var b strings.Builder
	for _, l := range Parse(text) {
		if l.Name == "" || !Same(l.Name, name) {
			b.WriteString(l.Text)
		}
	}
	return b.String()
}

// Empty says whether a text sets and includes nothing.
func Empty(text string) bool {
	for _, l := range Parse(text) {
		if l.Name != "" || l.Err != "" {
			return false
		}
	}
	return true
}

// The lines around what we write into a file that is not ours. They are
// comments to the server.
const (
	blockBegin = "# pgfettle begin: below is written by pgfettle, \"pgfettle undo\" undoes it\n"
	blockEnd   = "# pgfettle end\n"
)

// block splits a text into what stands before our lines, our lines without the
// marks, and what stands behind. Without a block all of it stands before.
func block(text string) (before, ours, behind string, ok bool, err error) {
	before, rest, ok := strings.Cut(text, blockBegin)
	if !ok || before != "" && !strings.HasSuffix(before, "\n") {
		return text, "", "", false, nil
	}
	ours, behind, ok = strings.Cut(rest, blockEnd)
	if !ok {
		return "", "", "", false, fmt.Errorf("the line %q is missing behind its beginning", strings.TrimSpace(blockEnd))
	}
	return before, ours, behind, true, nil
}

// GetInBlock is Get between our marks.
func GetInBlock(text, name string) (value string, ok bool) {
	_, ours, _, _, err := block(text)
	if err != nil {
		return "", false
	}
	return Get(ours, name)
}

// SetInBlock is Set between our marks, which are added at the end of the text
// where there are none.
func SetInBlock(text, name, value string) (string, error) {
	before, ours, behind, ok, err := block(text)
	if err != nil {
		return "", err
	}
	if ours, err = Set(ours, name, value); err != nil {
		return "", err
	}
	if !ok && before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return before + blockBegin + ours + blockEnd + behind, nil
}

// RemoveFromBlock is Remove between our marks, which go with the last setting.
func RemoveFromBlock(text, name string) (string, error) {
	before, ours, behind, ok, err := block(text)
	if err != nil || !ok {
		return text, err
	}
	if ours = Remove(ours, name); Empty(ours) {
		return before + behind, nil
	}
	return before + blockBegin + ours + blockEnd + behind, nil
}
