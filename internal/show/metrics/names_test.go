package metrics_test

import (
	"encoding/json"
	"os"
	"strconv"
)

func pid() string { return strconv.Itoa(os.Getpid()) }

// jsonOf is instances.json of two data directories, with the bytes as they are:
// an archive from elsewhere may hold any.
func jsonOf(dirs [2]string) (string, error) {
	type in struct {
		Key  string `json:"key"`
		Dir  string `json:"data_directory"`
		Port int    `json:"port"`
	}
	b, err := json.Marshal([]in{{"1", dirs[0], 5432}, {"2", dirs[1], 5433}})
	return string(b), err
}
