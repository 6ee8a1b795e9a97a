package link

// compare holds the output against what must be.
func (c *check) compare() error {
	for _, step := range []func() error{c.compareFile, c.compareLayout, c.compareNotes, c.compareBytes, c.compareHeaders, c.compareSymbols, c.compareObjects, c.compareRecords, c.compareResolved, c.compareShared, c.compareFacts, c.compareCalls} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
