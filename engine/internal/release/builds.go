package release

// earlier are builds of nvlink before the last one of their release. Up to sm_90a they differ from it in
// nothing but what they call themselves.
//
// Source: 230 links of generated programs by each build and by the last one of its release.
var earlier = []*Release{&r130at48, &r131at80, &r132at51, &r132at78, &r133at33, &r134at59}

var (
	r130at48 = r130.build("48", "36260728", func(r *Release) { r.BehindFirst = true })
	r131at80 = r131.build("80", "36836380", nil)
	// Up to build 78 the finalizer of 13.2 is 13.1's.
	r132at78 = r132.build("78", "37668154", func(r *Release) {
		r.Finalizer = r131.Finalizer
		r.Pads = false
		r.TagsIMMA = false
		r.Marks6B = false
	})
	r132at51 = r132at78.rebuild("13.2", "51", "37434383")
	r133at33 = r133.build("33", "37862127", nil)
	r134at59 = r134.build("59", "38657139", nil)
)

// build is an earlier build of the release: this one but for its names and what change does.
func (r Release) build(patch, number string, change func(*Release)) Release {
	r = r.rebuild(r.Name, patch, number)
	if change != nil {
		change(&r)
	}
	return r
}

// rebuild is another build of a release that does all as this one.
func (r Release) rebuild(release, patch, number string) Release {
	r.Name = release + "." + patch
	r.identify(release, "V"+r.Name, number)
	return r
}
