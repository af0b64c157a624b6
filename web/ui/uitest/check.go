package uitest

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Check holds a page to what must be true of every page.
func Check(t *testing.T, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	c := checker{t: t, count: map[string]int{}, ids: map[string]bool{}, labelled: map[string]bool{}}
	c.walk(root)
	for _, once := range []string{"h1", "main", "title"} {
		if c.count[once] != 1 {
			t.Errorf("the page has %d <%s>, want one", c.count[once], once)
		}
	}
	for _, input := range c.inputs {
		if !c.labelled[input] {
			t.Errorf("input %q has no label", input)
		}
	}
	for _, turn := range "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f" {
		if strings.ContainsRune(page, turn) {
			t.Errorf("the page holds %U, which turns the direction of the text after it", turn)
		}
	}
}

// wordless is what a message looks like that has no words, or not in the plural form that was asked for.
var wordless = regexp.MustCompile(`^[a-z]+(\.[a-z_]+)+$`)

type checker struct {
	t        *testing.T
	count    map[string]int
	ids      map[string]bool
	labelled map[string]bool
	inputs   []string
}

func (c *checker) walk(n *html.Node) {
	if n.Type == html.TextNode && wordless.MatchString(strings.TrimSpace(n.Data)) {
		c.t.Errorf("the page shows %q: a message that was not found", n.Data)
	}
	if n.Type == html.ElementNode {
		c.count[n.Data]++
		c.attributes(n)
		c.element(n)
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		c.walk(child)
	}
}

func (c *checker) attributes(n *html.Node) {
	for _, a := range n.Attr {
		switch {
		case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
			c.t.Errorf("<%s> has %s inline: the policy forbids it", n.Data, a.Key)
		case a.Key == "href" && strings.HasPrefix(strings.TrimSpace(strings.ToLower(a.Val)), "javascript:"):
			c.t.Errorf("<%s> leads to a script", n.Data)
		case a.Key == "id" && c.ids[a.Val]:
			c.t.Errorf("id %q stands twice", a.Val)
		case a.Key == "id":
			c.ids[a.Val] = true
		}
	}
}

func (c *checker) element(n *html.Node) {
	switch n.Data {
	case "html":
		if lang := attribute(n, "lang"); lang != "ru" && lang != "en" {
			c.t.Errorf("html has lang %q", lang)
		}
	case "style":
		c.t.Error("there is a <style>: the policy forbids it")
	case "script":
		if attribute(n, "src") == "" || n.FirstChild != nil {
			c.t.Error("there is a script inline: the policy forbids it")
		}
	case "form":
		if attribute(n, "method") == "" {
			c.t.Error("a form has no method")
		}
	case "label":
		c.labelled[attribute(n, "for")] = true
	case "input", "select", "textarea":
		if attribute(n, "type") != "hidden" {
			c.inputs = append(c.inputs, attribute(n, "id"))
		}
	case "table":
		if n.FirstChild == nil || !holds(n, "caption") {
			c.t.Error("a table has no caption")
		}
	case "a", "button":
		if strings.TrimSpace(text(n)) == "" && attribute(n, "aria-label") == "" {
			c.t.Errorf("<%s> says nothing to somebody who cannot see it", n.Data)
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func holds(n *html.Node, name string) bool {
	for child := range n.Descendants() {
		if child.Type == html.ElementNode && child.Data == name {
			return true
		}
	}
	return false
}

func text(n *html.Node) string {
	var out strings.Builder
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			out.WriteString(child.Data)
		}
	}
	return out.String()
}
