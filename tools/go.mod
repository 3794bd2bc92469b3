module github.com/pgfettle/pgfettle/tools

go 1.26.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	github.com/pgfettle/pgfettle v0.0.0
)

require (
	github.com/fergusstrange/embedded-postgres v1.34.0 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/lib/pq v1.10.9 // indirect
	github.com/xi2/xz v0.0.0-20171230120015-48954b6210f8 // indirect
	golang.org/x/text v0.41.0 // indirect
)

replace github.com/pgfettle/pgfettle => ../
