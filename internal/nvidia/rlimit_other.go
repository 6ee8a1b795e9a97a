//go:build !linux || !(amd64 || arm64)

package nvidia

func limitProcess(int, Limits) {}
