//! Pages and what one reads of them.

use super::markdown;
use proptest::prelude::*;

#[test]
fn what_pages_say() {
    let check = |html: &str, expect: &str| assert_eq!(markdown(html).trim_end(), expect, "{html}");
    check("<h1>Title</h1><p>One <b>two</b> <em>three</em></p>", "# Title\n\nOne **two** *three*");
    check("<p>a</p>\n\n<p>b<br>c</p>", "a\n\nb\nc");
    check("<ul><li>one</li><li>two<ul><li>deep</li></ul></li></ul>", "- one\n- two\n  - deep");
    check("<ol start=3><li><p>x</p><li>y</ol>end", "3. x\n4. y\n\nend");
    check("<a href='/x'>go <i>there</i></a>, <a name=x>no</a>", "[go *there*](/x), no");
    check("<a href=\"javascript:x()\">run</a>", "run");
    check("<pre><code>a  b\n  &lt;c&gt;\n</code></pre>after", "```\na  b\n  <c>\n```\n\nafter");
    check("say <code>x &amp;&amp; y</code> twice", "say `x && y` twice");
    check("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n\n> b\n\nc");
    check(
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><p>2</p></td></tr></table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |",
    );
    check("<script>if (a < b) { '</p>' }</script>text<style>p > a {}</style>", "text");
    check("<head><title> The\n title </title></head><body>text", "# The title\n\ntext");
    check("<nav><div>menu</div></nav><img src=x alt=Boat>", "![Boat]");
    check("<!-- <p>no</p> -->1 < 2 & 3 &copy; &#x41;&#66; &unknown;", "1 < 2 & 3 © AB &unknown;");
    check("<div title='a > b'>x</div><svg><path/><svg></svg></svg>y", "x\n\ny");
    check("", "");
}

#[test]
fn nesting_costs_nothing() {
    for html in
        ["<div>", "<b><i>", "<ul><li>", "<blockquote>", "<div><table></div></table>", "<a href=x>"]
    {
        let text = markdown(&(html.repeat(100_000) + "end"));
        assert!(text.contains("end"), "{html}");
    }
    markdown(&"<".repeat(100_000));
    markdown(&"<a ".repeat(100_000));
    markdown(&"</script".repeat(100_000));
}

proptest! {
    #[test]
    fn nothing_breaks_it(html in "(<[a-z/!]{0,8}[ =\"'a-z]{0,9}>?|[a-zé&;#<> \n]{0,9}){0,40}") {
        markdown(&html);
    }
}
