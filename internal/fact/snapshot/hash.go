package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Hash returns the SHA-256 of the snapshot's JSON form in hex. A plan names it,
// so that it can be told from plans that rest on other facts. encoding/json
// sorts the keys of maps, so equal snapshots have equal hashes. It is "" for a
// snapshot that has no JSON form, which Read never returns.
func Hash(s *Snapshot) string {
	b, err := Encode(s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

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
