package diagnose

import "github.com/pgfettle/pgfettle/internal/base/say"

// usage is the error of a value that a person has to write otherwise.
func usage(message, hint string) error {
	return &say.Problem{Message: message, Hint: hint, Code: say.CodeUsage}
}
