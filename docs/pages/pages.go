// Package pages holds the pages that pgfettle explain shows, one Markdown file each,
// as they are embedded in the program. internal/judge/advice reads them and says what
// their front matter means; a page is added with make new-page ID=my-page.
package pages

import "embed"

// Files has each page as ID.md in its root, and its translations as LANG/ID.md.
//
//go:embed *.md */*.md
var Files embed.FS
