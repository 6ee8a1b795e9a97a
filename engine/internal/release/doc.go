// Package release says what each release of nvlink, each target and each kind of
// code does its own way: data that every phase asks.
package release
