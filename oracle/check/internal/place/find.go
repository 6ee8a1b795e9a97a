package place

// FindPlaces finds where everything lies.
func (c *Places) FindPlaces() error {
	c.gather()
	c.indexObjects()
	if err := c.matchCode(); err != nil {
		return err
	}
	if err := c.mapWords(); err != nil {
		return err
	}
	c.pairSections()
	c.adoptImageBanks()
	c.adoptInstance()
	c.matchUnique()
	if err := c.matchContents(); err != nil {
		return err
	}
	c.findShared()
	for _, step := range []func() error{c.findEvidence, c.placeUnits} {
		if err := step(); err != nil {
			return err
		}
	}
	c.units = true
	c.pairSections() // the banks that units made as well
	c.placeReserved()
	for _, a := range c.Areas {
		if err := c.placeParts(a); err != nil {
			return err
		}
	}
	if err := c.collideUnits(); err != nil {
		return err
	}
	c.settleObjects()
	if err := c.matchRest(); err != nil {
		return err
	}
	c.settleObjects()
	c.compareProgram()
	if err := c.placeSlots(); err != nil {
		return err
	}
	for _, a := range c.Areas {
		if err := c.fill(a); err != nil {
			return err
		}
	}
	return nil
}
