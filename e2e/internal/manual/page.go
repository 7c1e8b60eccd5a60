// Package manual follows a page of documentation to the letter, as a reader
// does who trusts it: [Parse] finds what it has one write, run and see, and a
// [Reader] does that, in an empty folder.
//
// What a fenced block is, its word says:
//
//	sh       commands; one shell runs those of a page, in order
//	text     right after sh: what the commands print, see [Matches]
//	console  commands that a test cannot run
//	others   a file, whose name is the comment in the first line
package manual

import (
	"fmt"
	"regexp"
	"strings"
)

// Block is a fenced block of a page.
type Block struct {
	Kind string // the word after the fence
	File string // the name, if it is a file
	Text string
	Line int // of its fence, from 1
}

var fileName = regexp.MustCompile(`^(?:#|//) ([\w-]+(?:\.[\w-]+)*\.\w+)$`)

// Parse returns the fenced blocks of a page. A block that nobody could follow
// is an error.
func Parse(page string) (blocks []Block, err error) {
	var open *Block
	for i, line := range strings.Split(page, "\n") {
		word, fence := strings.CutPrefix(line, "```")
		switch {
		case open == nil && fence:
			open = &Block{Kind: word, Line: i + 1}
		case open == nil:
		case !fence:
			open.Text += line + "\n"
		case word != "":
			return nil, fmt.Errorf("line %d: a block begins inside of the one of line %d", i+1, open.Line)
		default:
			if err := open.place(blocks); err != nil {
				return nil, err
			}
			blocks = append(blocks, *open)
			open = nil
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block does not end", open.Line)
	}
	return blocks, nil
}

// place says whether a block makes sense behind others, and names its file.
func (b *Block) place(before []Block) error {
	switch b.Kind {
	case "sh", "console":
		return nil
	case "text":
		if n := len(before); n == 0 || before[n-1].Kind != "sh" {
			return fmt.Errorf("line %d: a text block has to follow the sh block that prints it", b.Line)
		}
		return nil
	}
	first, _, _ := strings.Cut(b.Text, "\n")
	name := fileName.FindStringSubmatch(first)
	if b.Kind == "" || name == nil {
		return fmt.Errorf("line %d: want ```sh, ```text, ```console, or a file whose first line is a comment with its name", b.Line)
	}
	b.File = name[1]
	return nil
}
