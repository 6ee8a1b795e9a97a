// Package descriptor patches one relocation: it is the innermost part of the
// engine, the table of 64-byte descriptors and the dispatcher that follows
// one.
//
// A descriptor is twelve bytes of header, three action slots of sixteen bytes
// and four closing bytes:
//
//	byte  0          12                28                44                60
//	      +----------+-----------------+-----------------+-----------------+----+
//	      | header   | slot 0          | slot 1          | slot 2          | -  |
//	      +----------+-----------------+-----------------+-----------------+----+
//	slot: u32 first bit, u32 width in bits, u32 action, u32 source bit
//
// The dispatcher starts with S (RELA: S + A), goes through the slots in order
// and carries the running value from one to the next. An action of zero skips
// its slot; one that the dispatcher has no arm for ends the work with an
// error, which the linker reports as "unexpected NVRS".
//
// Sources: layout, actions and pseudocode from the documents "Relocation
// Application Engine" and "Relocation Action Glossary"; which bits a type
// writes from one-record links of nvlink 11.8.89, 12.4.131 and 13.0.88.
package descriptor
