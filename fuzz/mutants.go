package fuzz

import "math/rand/v2"

// Mutant returns link n of an endless list of links with changed inputs, the
// same list on every machine: what go test tries without a fuzzer.
func Mutant(n uint64) (Link, error) {
	random := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), 'm', 'u', 't', 'a', 'n', 't'})
	input := make([]byte, 256)
	if _, err := random.Read(input); err != nil {
		return Link{}, err
	}
	return ReadLink(NewReader(input))
}
