package snapshot

import (
	"encoding/json"
	"fmt"
)

// Encode returns the JSON form.
func Encode(s *Snapshot) ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return b, nil
}

// Decode reads the JSON form. It refuses another schema version.
func Decode(b []byte) (*Snapshot, error) {
	var s Snapshot
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	if s.Schema != Schema {
		return nil, fmt.Errorf("snapshot: schema %.64q is not %q", s.Schema, Schema)
	}
	return &s, nil
}
