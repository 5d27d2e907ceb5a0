// Reads the heads of documents, and the titles of images.

/** The content of a head element, unescaped and without isolates. */
export function metaOf(html: string, name: string): string | undefined {
  return unescapeHtml(new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(html)?.[1]);
}

export function titleOf(markup: string): string | undefined {
  return unescapeHtml(/<title>([^<]*)<\/title>/.exec(markup)?.[1]);
}

export function unescapeHtml(text: string | undefined): string | undefined {
  return text
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/[\u2068\u2069]/g, '');
}
