// Package watch tells when the contents of files have changed.
//
// It watches directories and not the files, which editors replace and
// Kubernetes swaps all at once behind a symbolic link (..data): those that the
// files are in, and those of the links on the way to them. A directory that is
// exchanged for another, or comes back, is watched again. Whatever happens
// there, only a change of a [Fingerprint] counts.
package watch
