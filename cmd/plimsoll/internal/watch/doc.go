// Package watch tells when the contents of files have changed.
//
// It watches the directories that the files are in and not the files, which
// editors replace and Kubernetes swaps all at once behind a symbolic link
// (..data). Whatever happens there, only a change of a [Fingerprint] counts.
package watch
