// Package registration checks what host code registers and refers to against the
// device code that is there: in the registration file that a device link writes
// for its inputs, and in a finished program or shared object.
//
// In a program nvcc leaves in __nv_module_id an identifier for each translation
// unit, and "def IDENTIFIER" for each that a device link registers; in .nvHRKE
// and its like the names, or patterns, of the kernels and variables that host
// code refers to; in .nv_fatbin the linked images. Observed in programs of nvcc
// 11.8.89, 12.4.131 and 13.0.88.
package registration
