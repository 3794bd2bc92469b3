module github.com/pgfettle/pgfettle

go 1.26
