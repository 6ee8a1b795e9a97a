// Package capsules checks the Mercury side's capsules, and the tables that both sides have.
package capsules
