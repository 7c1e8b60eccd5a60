package table

import "testing"

func TestRows(t *testing.T) {
	rows := Rows{{"front", "CPU", ""}, {"plain", "7 µs"}, {"a", "100 µs", "late"}}
	const text = "  front     CPU\n  plain    7 µs\n  a      100 µs  late\n"
	if got := rows.Text("  "); got != text {
		t.Errorf("%q, want %q", got, text)
	}
	const markdown = "| front | CPU |  |\n|---|--:|--:|\n| plain | 7 µs |\n| a | 100 µs | late |\n"
	if got := rows.Markdown(); got != markdown {
		t.Errorf("%q, want %q", got, markdown)
	}
}
