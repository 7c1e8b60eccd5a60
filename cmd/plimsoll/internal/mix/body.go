package mix

// Body is what requests carry: bytes that are all the same, or a template that
// is filled in for each.
type Body struct {
	Bytes    []byte
	Template *Template // nil: Bytes
}
