// Package diagnose judges what has happened or is happening to a host or an
// instance, and says what would have prevented it.
package diagnose
