package check

// compare holds the output against what must be. Of a Mercury side only its own
// tables are looked at: the file and its notes belong to the other.
func (c *check) compare() error {
	steps := []func() error{c.compareFile, c.compareLayout, c.compareNotes, c.compareBytes, c.compareFrames, c.compareLines, c.compareRegisters, c.compareHeaders, c.compareSymbols,
		c.compareObjects, c.compareRecords, c.compareResolved, c.compareShared, c.compareFacts, c.compareCalls}
	if c.side == mercurySide {
		steps = []func() error{c.compareCapsules, c.compareBytes, c.compareHeaders, c.compareSymbols, c.compareObjects, c.compareRecords, c.compareTwins, c.compareTwinCalls, c.compareResolved, c.compareFacts}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
