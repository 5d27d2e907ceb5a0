// The layout of mails: the same content as plain text and as HTML, which loads nothing and follows the reader's color scheme.

import { escapeHtml } from '@provenance-registry/core';

export interface MailBody {
  readonly subject: string;
  readonly heading: string;
  readonly paragraphs: readonly string[];
  readonly action?: { readonly label: string; readonly url: string };
  /** Smaller, below the action. */
  readonly notes: readonly string[];
  /** In mail that others cause: stops it for this address. */
  readonly stopUrl?: string | undefined;
}

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly stopUrl: string | undefined;
}

export interface Sender {
  readonly registryName: string;
  readonly baseUrl: string;
}

export function renderBody(body: MailBody, sender: Sender): RenderedMail {
  const { subject, stopUrl } = body;
  return { subject, text: renderText(body, sender), html: renderHtml(body, sender), stopUrl };
}

const STOP_LABEL = 'Stop mail like this to your address';

function renderText(body: MailBody, { registryName, baseUrl }: Sender): string {
  const { heading, paragraphs, action, notes, stopUrl } = body;
  const blocks = [
    heading,
    ...paragraphs,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...notes,
    ...(stopUrl === undefined ? [] : [`${STOP_LABEL}:\n${stopUrl}`]),
    `-- \n${registryName}\n${baseUrl}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

// Mail clients drop style sheets they do not understand, but keep inline styles: those are the light colors, and the sheet
// has the dark ones. Tables center the content in clients that ignore widths of other elements.
const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const styles = {
  page: `margin:0;padding:0;background:#f4f5f7;${font}`,
  outer: 'background:#f4f5f7',
  cell: 'padding:32px 16px',
  card: 'max-width:560px;width:100%;background:#ffffff;border:1px solid #e2e4e9;border-radius:8px',
  content: 'padding:32px',
  name: `margin:0 0 24px;font-size:14px;line-height:20px;color:#5b6270;${font}`,
  heading: `margin:0 0 16px;font-size:20px;line-height:28px;font-weight:600;color:#14171f;${font}`,
  paragraph: `margin:0 0 16px;font-size:16px;line-height:24px;color:#14171f;overflow-wrap:anywhere;${font}`,
  button: 'background:#1f4fd8;border-radius:6px',
  link: `display:inline-block;padding:12px 20px;font-size:16px;line-height:24px;font-weight:600;color:#ffffff;text-decoration:none;${font}`,
  note: `margin:16px 0 0;font-size:14px;line-height:20px;color:#5b6270;overflow-wrap:anywhere;${font}`,
} as const;
const darkSheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page,.outer{background:#14171f!important}
.card{background:#1d212b!important;border-color:#343a48!important}
.strong{color:#f1f3f7!important}
.muted{color:#a7aebd!important}
.button{background:#3b6cf6!important}
}`;

function renderHtml(body: MailBody, { registryName, baseUrl }: Sender): string {
  const { heading, paragraphs, action, notes, stopUrl } = body;
  const paragraph = (text: string) => `<p class="strong" style="${styles.paragraph}">${escapeHtml(text)}</p>`;
  const note = (text: string) => `<p class="muted" style="${styles.note}">${escapeHtml(text)}</p>`;
  const parts = [
    `<p class="muted" style="${styles.name}">${escapeHtml(registryName)}</p>`,
    `<h1 class="strong" style="${styles.heading}">${escapeHtml(heading)}</h1>`,
    ...paragraphs.map(paragraph),
    ...(action ? [renderButton(action), note(`If the button does not work, open this link: ${action.url}`)] : []),
    ...notes.map(note),
    ...(stopUrl === undefined ? [] : [renderStopLink(stopUrl)]),
    note(baseUrl),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>${darkSheet}</style>
</head>
<body class="page" style="${styles.page}">
<table role="presentation" class="outer" width="100%" cellpadding="0" cellspacing="0" border="0" style="${styles.outer}"><tr><td align="center" style="${styles.cell}">
<table role="presentation" class="card" cellpadding="0" cellspacing="0" border="0" style="${styles.card}"><tr><td style="${styles.content}">
${parts.join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

function renderStopLink(url: string): string {
  return `<p class="muted" style="${styles.note}"><a class="muted" href="${escapeHtml(url)}" style="color:#5b6270">${STOP_LABEL}</a></p>`;
}

function renderButton({ label, url }: { label: string; url: string }): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td class="button" style="${styles.button}"><a href="${escapeHtml(url)}" style="${styles.link}">${escapeHtml(label)}</a></td></tr></table>`;
}
