// Package link holds the tables of a link under judgement: [Module] for an input, [Output],
// and what their entries stand for: [Identity] for a name, [Body] for code, [Area] for a
// section that the output must have with its [Part]s. [Link] has them all, and the verdict.
//
// Phases above fill the tables, each in a package whose type embeds the one before:
//
//	link.Link <- resolve.Resolved <- reach.Reach <- place.Places <- apply.Applied
package link
