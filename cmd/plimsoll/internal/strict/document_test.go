package strict

import "testing"

// What is wrong with the YAML itself is told with the line that it is in, also
// where the parser does not say it.
func TestSyntaxFaults(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: 2\nc: *nobody\n": "f.yaml:3: want YAML: unknown anchor 'nobody' referenced",
		"a: 1\nb: \x00\n":          "f.yaml:2: want YAML: control characters are not allowed",
		"a: 1\n\nb: \xff\xfe\n":    "f.yaml:3: want YAML: invalid leading UTF-8 octet",
		"a: 1\nb:\n\tc: 3\n":       "f.yaml:3: want YAML: found character that cannot start any token",
		"a: 1\nb: !%80 2\n":        "f.yaml:2: want YAML: found an incorrect leading UTF-8 octet",
		"%YAML 9.9\n---\na: 1\n":   "f.yaml:1: want YAML: found incompatible YAML document",
	} {
		var r Reader
		if _, ok := r.Document("f.yaml", "settings", []byte(text)); ok || r.Faults.Err().Error() != want {
			t.Errorf("%q: %v, want %s", text, r.Faults, want)
		}
	}
}

// The value of an alias is the name of its anchor: as a key it would be taken for
// one that nobody wrote.
func TestAliasIsNoKey(t *testing.T) {
	var r Reader
	root, ok := r.Document("f.yaml", "settings", []byte("name: &admin other\n*admin : 1\n"))
	if !ok {
		t.Fatal(r.Faults)
	}
	read := map[string]string{}
	r.Object(root, []string{"name", "admin"}, func(key string, v Value) { read[key] = v.Text })
	const want = "f.yaml:2: *admin: want a key that is written out, not an alias of one"
	if r.Faults.Err() == nil || r.Faults.Error() != want || len(read) != 1 || read["name"] != "other" {
		t.Errorf("%v, read %v", r.Faults, read)
	}
}
