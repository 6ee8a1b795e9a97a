package nvidia

// capture keeps the first limit bytes written to it and counts the rest, so
// that a tool that never stops talking costs neither memory nor a blocked pipe.
type capture struct {
	limit int
	kept  []byte
	lost  int64
}

func (c *capture) Write(p []byte) (int, error) {
	n := min(len(p), c.limit-len(c.kept))
	c.kept = append(c.kept, p[:n]...)
	c.lost += int64(len(p) - n)
	return len(p), nil
}
