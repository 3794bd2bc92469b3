package apply

// maxFile bounds a configuration file: postgresql.conf with every comment is
// 30 kB, and a megabyte is no configuration that a person wrote.
const maxFile = 1 << 20
