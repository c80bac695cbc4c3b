//! A model's text as HTML. It may have paragraphs, lists, tables, emphasis and code. It has no markup of its own: HTML in it
//! is text, an image is its words, a link shows where it leads.

use std::ops::Range;

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::escape::escaped;
use crate::text;

/// Blocks that may stand in each other; what is deeper is in the last of them.
const DEPTH: usize = 12;
/// Schemes that a link may have.
const SCHEMES: [&str; 2] = ["https://", "http://"];
/// Characters of an address that are shown, and all of its host.
const ADDRESS: usize = 80;

/// The text as blocks of HTML.
pub(crate) fn prose(markdown: &str) -> String {
    let visible = text::visible(markdown.trim());
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut writer = Writer::default();
    Parser::new_ext(&visible, options).for_each(|event| writer.take(event));
    writer.out
}

/// HTML being written.
#[derive(Default)]
struct Writer {
    out: String,
    /// What ends each open tag.
    open: Vec<Ending>,
    /// Whether cells are of a table's head.
    in_head: bool,
}

/// What a tag ends with.
enum Ending {
    /// A closing tag; empty if the opening one was omitted.
    Tag(&'static str),
    /// An address, which is shown behind the words of its link.
    Address(String),
}

impl Writer {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Code(code) => {
                self.out.push_str("<code>");
                self.text(&code);
                self.out.push_str("</code>");
            }
            Event::SoftBreak | Event::HardBreak => self.out.push_str("<br>\n"),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            // Between paragraphs a rule says no more than an empty line does. Nothing else is asked for.
            _ => {}
        }
    }

    /// Entities may have become characters that act.
    fn text(&mut self, text: &str) {
        self.out.push_str(&escaped(&text::visible(text)));
    }

    fn start(&mut self, tag: Tag<'_>) {
        if let Tag::TableHead | Tag::Table(_) = tag {
            self.in_head = true;
        }
        if let Tag::Link { link_type, dest_url, .. } = &tag {
            return self.open.push(address(*link_type, dest_url));
        }
        let (opening, closing) = tags(&tag, self.in_head);
        if self.open.len() >= DEPTH {
            return self.open.push(Ending::Tag(""));
        }
        match tag {
            Tag::List(Some(first)) if first != 1 => {
                self.out.push_str(&format_args!("<ol start=\"{first}\">\n").to_string());
            }
            _ => self.out.push_str(opening),
        }
        self.open.push(Ending::Tag(closing));
    }

    fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::TableHead {
            self.in_head = false;
        }
        match self.open.pop() {
            // A heading without words heads nothing.
            Some(Ending::Tag("</th>")) if self.out.ends_with("<th>") => {
                self.out.truncate(self.out.len() - "<th>".len());
                self.out.push_str("<td></td>");
            }
            Some(Ending::Tag(closing)) => self.out.push_str(closing),
            Some(Ending::Address(href)) => self.address(&href),
            None => {}
        }
    }

    /// Words are the model's; where they lead is for the reader to see.
    fn address(&mut self, href: &str) {
        let host_ends = host(href).map_or(0, |host| host.end);
        let shown = escaped(&text::shorten(href, ADDRESS.max(host_ends + 1)));
        let href = escaped(href);
        let link =
            format!(" (<a href=\"{href}\" rel=\"noreferrer noopener nofollow\">{shown}</a>)");
        self.out.push_str(&link);
    }
}

/// What ends a link: its address, where that is one of the web. An address that is its own words stands once.
fn address(kind: LinkType, href: &CowStr<'_>) -> Ending {
    let is_web = host(href).is_some_and(|at| is_plain(&href[at])) && !href.contains(text::acts);
    match (is_web, kind) {
        (false, _) | (_, LinkType::Autolink | LinkType::Email) => Ending::Tag(""),
        (true, _) => Ending::Address(href.to_string()),
    }
}

/// Where the host of an address of the web stands, with what is around it: a name before it, a port behind it.
fn host(href: &str) -> Option<Range<usize>> {
    let scheme = SCHEMES.iter().find(|scheme| href.starts_with(**scheme))?;
    let rest = &href[scheme.len()..];
    let length = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    Some(scheme.len()..scheme.len() + length)
}

/// Whether a host is one for every reader: what is before an `@` is a name that looks like a host, and a browser skips
/// slashes.
fn is_plain(host: &str) -> bool {
    !host.is_empty() && !host.contains(['@', '\\'])
}

/// How a part begins and ends.
fn tags(tag: &Tag<'_>, in_head: bool) -> (&'static str, &'static str) {
    match tag {
        Tag::Paragraph | Tag::HtmlBlock => ("<p>", "</p>\n"),
        // Headings of a model's are none of the page's.
        Tag::Heading { .. } => ("<p><strong>", "</strong></p>\n"),
        Tag::BlockQuote(_) => ("<blockquote>\n", "</blockquote>\n"),
        Tag::CodeBlock(_) => ("<pre><code>", "</code></pre>\n"),
        Tag::List(Some(_)) => ("<ol>\n", "</ol>\n"),
        Tag::List(None) => ("<ul>\n", "</ul>\n"),
        Tag::Item => ("<li>", "</li>\n"),
        Tag::Table(_) => (
            "<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>\n",
            "</table></div>\n",
        ),
        Tag::TableHead => ("<thead><tr>", "</tr></thead>\n"),
        Tag::TableRow => ("<tr>", "</tr>\n"),
        Tag::TableCell if in_head => ("<th>", "</th>"),
        Tag::TableCell => ("<td>", "</td>"),
        Tag::Emphasis => ("<em>", "</em>"),
        Tag::Strong => ("<strong>", "</strong>"),
        Tag::Strikethrough => ("<del>", "</del>"),
        // Of an image, its words.
        _ => ("", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn l1_a_models_text_has_paragraphs_lists_emphasis_tables_and_code() {
        for (markdown, html) in [
            ("One\ntwo\n\nthree", "<p>One<br>\ntwo</p>\n<p>three</p>\n"),
            ("**a** *b* `c<d>`", "<p><strong>a</strong> <em>b</em> <code>c&lt;d&gt;</code></p>\n"),
            ("3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n"),
            ("# A title", "<p><strong>A title</strong></p>\n"),
            ("```sh\na <b>\n```", "<pre><code>a &lt;b&gt;\n</code></pre>\n"),
            ("a\n\n---\n\nb", "<p>a</p>\n<p>b</p>\n"),
            (
                "|a| |\n|-|-|\n|1|2|",
                "<div class=\"scroll\" role=\"group\" aria-label=\"Table\" tabindex=\"0\"><table>\n<thead><tr><th>a</th><td></td></tr></thead>\n<tr><td>1</td><td>2</td></tr>\n</table></div>\n",
            ),
        ] {
            assert_eq!(prose(markdown), html, "{markdown}");
        }
    }

    #[test]
    fn l5_html_of_a_model_is_text_images_are_words_and_links_show_where_they_lead() {
        for (markdown, html) in [
            ("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>\n"),
            ("a <b onclick=\"x\">b</b>", "<p>a &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;</p>\n"),
            ("![cat](http://x/y.png)", "<p>cat</p>\n"),
            (
                "[a](javascript:alert(1)) [b](data:text/html,x) [c](//x) [d](/etc)",
                "<p>a b c d</p>\n",
            ),
            ("[a](JavaScript:alert(1))", "<p>a</p>\n"),
            (
                "[your bank](https://x.org/?a=\"b\")",
                "<p>your bank (<a href=\"https://x.org/?a=&quot;b&quot;\" rel=\"noreferrer noopener nofollow\">https://x.org/?a=&quot;b&quot;</a>)</p>\n",
            ),
            ("<https://x.org>", "<p>https://x.org</p>\n"),
            ("a&#8238;b&#x1b;c", "<p>a\u{fffd}b\u{fffd}c</p>\n"),
            ("[a](https://x&#8238;y)", "<p>a</p>\n"),
            ("[a](https://bank.example@evil.org/)", "<p>a</p>\n"),
            ("[a](https:///bank:b@evil.org/)", "<p>a</p>\n"),
            ("[a](https://evil.org\\\\@bank.example/)", "<p>a</p>\n"),
            ("a\u{202e}b\u{1b}[31m", "<p>a\u{fffd}b\u{fffd}[31m</p>\n"),
        ] {
            assert_eq!(prose(markdown), html, "{markdown}");
        }
    }

    #[test]
    fn l5_the_host_of_a_link_is_never_cut() {
        let host = format!("bank.example.{}.evil.org", "x.".repeat(80));
        let html = prose(&format!("[a](https://{host}/{})", "y".repeat(200)));
        assert!(html.contains(&format!(">https://{host}…</a>")), "{html}");
    }

    #[test]
    fn l5_no_text_nests_deeper_than_a_browser_bears() {
        let html = prose(&format!("{}x", "> ".repeat(5000)));
        assert!(html.matches("<blockquote>").count() <= super::DEPTH, "{html:.200}");
        assert_eq!(html.matches("<blockquote>").count(), html.matches("</blockquote>").count());
    }
}
