//go:build unix && !linux

package main

func largePages(n int) []byte { return make([]byte, n) }
