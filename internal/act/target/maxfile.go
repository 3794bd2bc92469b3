package target

// MaxConfigFile bounds a configuration file: postgresql.conf with every comment is
// 30 kB, and a megabyte is no configuration that a person wrote.
const MaxConfigFile = 1 << 20
