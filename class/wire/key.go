package wire

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// DecodeKey returns the secret that a key file has: base64 text (of either
// alphabet, with or without padding, white space around it), or raw bytes.
// What can be read as base64 is base64. The secret has [MinKeyBytes] or more;
// the error says what is wanted and does not show it.
func DecodeKey(file []byte) ([]byte, error) {
	text := strings.TrimRight(strings.TrimSpace(string(file)), "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		secret, err := encoding.DecodeString(text)
		if err != nil || text == "" {
			continue
		}
		if len(secret) < MinKeyBytes {
			return nil, fmt.Errorf("want %d bytes or more behind the base64, have %d; openssl rand -base64 32 makes a key", MinKeyBytes, len(secret))
		}
		return secret, nil
	}
	if len(file) < MinKeyBytes {
		return nil, fmt.Errorf("want base64 text or %d raw bytes or more, have %d bytes; openssl rand -base64 32 makes a key", MinKeyBytes, len(file))
	}
	return file, nil
}
