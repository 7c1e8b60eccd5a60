// Package limit finds how many requests may be in flight at once.
package limit
