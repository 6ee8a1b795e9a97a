// Package parallel spreads work over the cores.
package parallel
