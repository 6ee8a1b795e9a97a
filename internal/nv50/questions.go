package nv50

import "slices"

func params(groups ...[]Param) []Param { return slices.Concat(groups...) }

// Questions are all that can be asked.
var Questions = []Question{
	{"where", "where a word of a thread's local memory lies", params([]Param{
		{"block", "32,1,1", "block dimensions x,y,z"}, {"tid", "0,0,0", "the thread's coordinates x,y,z"},
		{"threads", "32", "THREADS_PER_BLOCK"}, {"word", "0", "which word of 4 bytes of l[]"},
	}, chipParams, laneParams[1:]), askWhere},
	{"local", "the address of a byte of local memory", params([]Param{{"addr", "0", "address in l[]"}}, chipParams, laneParams), askLocal},
	{"local-of", "whose byte of local memory an address is", params([]Param{{"address", "0", "address in the segment"}}, chipParams, laneParams[1:]), inverse(true)},
	{"stack", "the address of a stack entry", params([]Param{{"entry", "0", "number of the entry"}}, chipParams), askStack},
	{"stack-of", "whose stack entry an address is", params([]Param{{"address", "0", "address in the segment"}}, chipParams, laneParams[1:]), inverse(false)},
	{"thread", "warp and lane of a thread of a block", []Param{
		{"block", "2,3,4", "block dimensions x,y,z"}, {"tid", "0,0,0", "the thread's coordinates x,y,z"},
		{"threads", "21", "THREADS_PER_BLOCK"}, {"lanes", "16", "lanes of a warp"},
	}, askThread},
	{"physid", "the special register physid", []Param{{"lane", "0", "lane id"}, {"warp", "0", "warp id"}, {"mp", "0", "MP id"}, {"tp", "0", "TP id"}}, askPhysID},
	{"physid-of", "whom a value of physid names", []Param{{"physid", "0", "the value"}}, askWhoIs},
	{"entry-of", "what a stack entry says", []Param{{"word0", "0", "its first word"}, {"word1", "0", "its second word"}}, askEntry},
	{"upload", "what words thrown at CB_DATA reach", []Param{{"buffer", "0", "constant buffer"}, {"addr", "0", "address in it"}, {"words", "1", "how many"}}, askUpload},
	{"shared", "what s[] holds at start", []Param{{"parameters", "0", "USER_PARAM_COUNT"}}, askShared},
	{"global", "the address behind g[reg], before tile flags", []Param{
		{"reg", "0", "the address in g[]"}, {"base", "0", "GLOBAL_BASE"}, {"pitch", "0x100", "GLOBAL_PITCH"},
		{"limit", "0xffffffff", "GLOBAL_LIMIT"}, {"linear", "false", "GLOBAL_MODE bit 0"}, {"mode", "0", "tile mode"},
	}, askGlobal},
}
