package arena

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// WriteRecord writes the record: the page into a file, and its pictures into a
// folder of the same name beside it.
func WriteRecord(file string, bouts []Bout, rows []Row, policies []Policy) error {
	folder := strings.TrimSuffix(file, filepath.Ext(file))
	if folder == file {
		folder += "-pictures"
	}
	for i := range bouts {
		b := &bouts[i]
		if len(b.plot) == 0 {
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		picture, err := b.Picture(Kept)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, b.pictureFile()), []byte(picture), 0o644); err != nil {
			return err
		}
	}
	var page bytes.Buffer
	if err := WritePage(&page, bouts, rows, policies, "plimsoll sim arena --doc "+file, filepath.Base(folder)); err != nil {
		return err
	}
	return os.WriteFile(file, page.Bytes(), 0o644)
}

// pictureFile is the name of a bout's picture.
func (b *Bout) pictureFile() string { return strings.ReplaceAll(b.Name, " ", "-") + ".svg" }
