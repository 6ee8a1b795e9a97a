package wire

// How a parent starts a worker: the environment names the library and the
// limits ("TEXT,FILE,MEMORY" in bytes), standard input is a pipe that stays open
// as long as the parent lives, standard output and error are one file that takes
// what the library prints.
const (
	ServeVariable  = "TWINLINK_NVJITLINK_SERVE"
	LimitsVariable = "TWINLINK_NVJITLINK_LIMITS"

	QuestionsFD = 3
	AnswersFD   = 4

	// ExitProtocol is the exit status of a worker that read no question.
	ExitProtocol = 71
)
