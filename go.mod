module github.com/twinlink/twinlink

go 1.26
