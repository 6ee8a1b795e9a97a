//go:build !unix

package main

import "fmt"

func main() { fmt.Println("bench: only on Unix are programs measured") }
