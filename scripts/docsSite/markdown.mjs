// Renders one Markdown file: headings with anchors as GitHub makes them, links between files turned into links between pages,
// tables and code that can scroll. Raw HTML is refused: what a page shows is written in Markdown.

import { Marked } from 'marked';

/**
 * @typedef {{ depth: number, anchor: string, text: string }} Heading
 * @typedef {{ anchor: string, title: string, text: string }} Section
 * @typedef {{ name: string, source: string, group: string, title: string, description: string, tokens: import('marked').TokensList, headings: Heading[], sections: Section[] }} Page
 * @typedef {{ link: (href: string) => string, titleOf: (href: string) => string | undefined, image: (href: string, alt: string) => string }} Targets
 */

const MAX_DESCRIPTION_CHARACTERS = 160;

/**
 * @param {{ name: string, source: string, group: string }} file
 * @param {string} text
 * @param {{ isCodeSearched: boolean }} options
 * @returns {Page}
 */
export function parsePage(file, text, { isCodeSearched }) {
  const tokens = createLexer().lexer(text);
  const headings = listHeadings(tokens);
  const [first] = headings;
  if (first?.depth !== 1 || headings.filter(({ depth }) => depth === 1).length !== 1) {
    throw new Error(`${file.source}: a page starts with one heading of the first level`);
  }
  const paragraph = tokens.find(({ type }) => type === 'paragraph');
  return {
    ...file,
    title: first.text,
    description: shorten(paragraph ? plainText([paragraph]) : first.text),
    tokens,
    headings,
    sections: listSections(tokens, headings, isCodeSearched),
  };
}

/** Addresses in a text are examples more often than links. */
function createLexer() {
  return new Marked({ tokenizer: { url: () => undefined } });
}

/** @param {Page} page @param {Targets} targets @returns {string} the article */
export function renderPage(page, targets) {
  const anchors = page.headings.map(({ anchor }) => anchor);
  let count = 0;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const anchor = anchors[count];
        count += 1;
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${content}</h1>\n`;
        const label = escapeHtml(`Link to “${plainText(tokens)}”`);
        return `<h${depth} id="${anchor}">${content}<a class="anchor" href="#${anchor}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      link({ href, text, tokens }) {
        // A link whose text is the name of a file reads better with the title of the page.
        const title = text === href.replace(/#.*/, '') ? targets.titleOf(href) : undefined;
        const content = title === undefined ? this.parser.parseInline(tokens) : escapeHtml(title);
        return `<a href="${escapeHtml(targets.link(href))}">${content}</a>`;
      },
      image({ href, text }) {
        return targets.image(href, text);
      },
      code({ text, lang }) {
        const language = lang ? ` data-language="${escapeHtml(lang)}"` : '';
        return `<pre tabindex="0"${language}><code>${escapeHtml(text)}\n</code></pre>\n`;
      },
      table(token) {
        const head = token.header.map((cell) => `<th>${this.parser.parseInline(cell.tokens)}</th>`);
        const rows = token.rows.map((row) => {
          const cells = row.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`);
          return `<tr>${cells.join('')}</tr>`;
        });
        const label = escapeHtml(`Table: ${token.header.map(({ tokens }) => plainText(tokens) || '–').join(', ')}`);
        const isEmpty = token.header.every(({ text }) => text === '');
        const header = isEmpty ? '' : `<thead><tr>${head.join('')}</tr></thead>\n`;
        return `<div class="table" role="region" tabindex="0" aria-label="${label}"><table>\n${header}<tbody>\n${rows.join('\n')}\n</tbody></table></div>\n`;
      },
      html({ text }) {
        throw new Error(`${page.source}: raw HTML is not allowed: ${text.trim()}`);
      },
    },
  });
  return marked.parser(page.tokens);
}

/** @param {string} text */
export function escapeHtml(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** @param {import('marked').Token[]} tokens @returns {Heading[]} */
function listHeadings(tokens) {
  /** @type {Map<string, number>} */
  const used = new Map();
  return tokens.flatMap((token) => {
    if (token.type !== 'heading') return [];
    const text = plainText(token.tokens ?? []);
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    return [{ depth: token['depth'], anchor: times === 0 ? slug : `${slug}-${times}`, text }];
  });
}

/**
 * What the search finds: one section for each heading.
 * @param {import('marked').Token[]} tokens
 * @param {Heading[]} headings
 * @param {boolean} isCodeSearched
 */
function listSections(tokens, headings, isCodeSearched) {
  /** @type {Section[]} */
  const sections = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = headings[sections.length];
      if (heading) sections.push({ anchor: heading.depth === 1 ? '' : heading.anchor, title: heading.text, text: '' });
      continue;
    }
    const section = sections.at(-1);
    if (!section || (token.type === 'code' && !isCodeSearched)) continue;
    section.text = `${section.text} ${plainText([token])}`.replace(/\s+/g, ' ').trim();
  }
  return sections;
}

/** @param {import('marked').Token[]} tokens @returns {string} */
function plainText(tokens) {
  return tokens
    .map((token) => {
      if (token.type === 'table') {
        const rows = [token['header'], ...token['rows']];
        return rows
          .flat()
          .map((cell) => plainText(cell.tokens))
          .join(' · ');
      }
      if (token.type === 'list')
        return token['items'].map((/** @type {any} */ item) => plainText(item.tokens)).join(' ');
      if (token.type === 'br') return ' ';
      if ('tokens' in token && token.tokens) return plainText(token.tokens);
      return 'text' in token ? unescapeHtml(String(token.text)) : '';
    })
    .join('');
}

/** Texts of tokens have entities where the Markdown has. @param {string} text */
function unescapeHtml(text) {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** @param {string} text */
function shorten(text) {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain.length <= MAX_DESCRIPTION_CHARACTERS) return plain;
  const cut = plain.slice(0, MAX_DESCRIPTION_CHARACTERS);
  const sentence = cut.lastIndexOf('. ');
  return sentence > MAX_DESCRIPTION_CHARACTERS / 2
    ? cut.slice(0, sentence + 1)
    : `${cut.slice(0, cut.lastIndexOf(' '))} …`;
}
