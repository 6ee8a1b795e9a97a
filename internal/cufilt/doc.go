// Package cufilt shows C++ names as NVIDIA's tools do: cu++filt, and nvlink with --dump-callgraph. They name template
// parameters by their number (T1), write literals with their type ((int)4, (bool)1), leave the namespaces of translation
// units out, and have blanks where other demanglers have none.
//
// Source: cu++filt of CUDA 11.8 and 12.4, which answer alike, and nvlink 11.8.89, 12.4.131 and 13.0.88.
package cufilt
