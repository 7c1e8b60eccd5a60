package mix

import (
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// maxClasses bounds how many classes a load has.
const maxClasses = 100

// file reads the classes of a file.
func (r *reader) file(data []byte, base draft) (drafts []draft) {
	root, ok := r.Document(r.path, "classes", data)
	if !ok {
		return nil
	}
	if !root.IsObject() {
		r.WantNot(root, "keys with values (defaults, classes)")
		return nil
	}
	base = base.below(root)
	if v, ok := root.Field("defaults"); ok { // wherever it stands
		base = r.object(v, keyNames()[1:], base.below(v)) // of one class alone: its weight
		r.finishTenants(&base)
	}
	r.Object(root, []string{"defaults", "classes"}, func(key string, v strict.Value) {
		if key == "classes" {
			drafts = r.classes(v, base)
		}
	})
	if _, ok := root.Field("classes"); !ok {
		r.Want(root, "classes: names with their keys")
	}
	return drafts
}

func (r *reader) classes(v strict.Value, base draft) (drafts []draft) {
	r.Named(v, "classes", func(key string, v strict.Value) {
		if len(drafts) == maxClasses {
			r.Want(v, "%d classes at most", maxClasses)
		}
		if len(drafts) >= maxClasses {
			return
		}
		if !name.MatchString(key) {
			r.Want(v, "a name of 64 letters, digits, '_', '-' and '.' at most")
		}
		d := r.object(v, keyNames(), base.below(v))
		d.Name = key
		drafts = append(drafts, r.finish(d))
	})
	if v.IsObject() && len(v.Node.Content) == 0 {
		r.Want(v, "one class at least")
	}
	return drafts
}

// object reads some keys of a class.
func (r *reader) object(v strict.Value, known []string, d draft) draft {
	r.Object(v, known, func(key string, v strict.Value) { r.read(key, v, &d) })
	return d
}
