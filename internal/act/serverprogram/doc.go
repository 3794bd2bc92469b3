// Package serverprogram asks the program that is installed for an instance: how much
// shared memory it would want with other settings, and whether it would start with them.
// It is run on a shadow of the instance's data directory, as the account of the instance,
// so that nothing of the instance is touched and nothing stays behind.
package serverprogram
