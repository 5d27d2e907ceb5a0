// Draws a certificate: a page with the fingerprint and the summary, the facts in tables, and what they prove.

import { encode } from 'uqr';
import type { CertificateContent, Notice, Part, Row } from './content.js';
import { formatTime } from './content.js';
import { CONTENT_WIDTH, type Ink, PAGE, PdfCanvas, type Structure } from './pdfCanvas.js';
import { reserveSignature } from './pdfSignature.js';
import * as texts from './texts.js';

const colors = {
  text: '#1b1f24',
  quiet: '#57606a',
  accent: '#1f3a5f',
  rule: '#c9d1d9',
  panel: '#f4f6f8',
  warning: '#8a1c1c',
  warningPanel: '#fdf1f0',
  shade: '#e3e9f0',
} as const;

const inks = {
  title: { font: 'title', size: 22, color: colors.accent },
  issuer: { font: 'regular', size: 9.5, color: colors.quiet },
  body: { font: 'regular', size: 9, color: colors.text },
  strong: { font: 'bold', size: 9, color: colors.text },
  quiet: { font: 'regular', size: 7.5, color: colors.quiet },
  heading: { font: 'bold', size: 11, color: colors.accent },
  small: { font: 'bold', size: 7.5, color: colors.quiet },
  code: { font: 'mono', size: 7.5, color: colors.text },
  art: { font: 'mono', size: 7.5, color: colors.text },
  fingerprint: { font: 'mono', size: 12, color: colors.text },
  warning: { font: 'bold', size: 10, color: colors.warning },
} as const satisfies Record<string, Ink>;

/** Columns of the tables: label, value, source. */
const columns = { value: 116, source: 424 } as const;
const GAP = 8;
const VALUE_WIDTH = columns.source - columns.value - GAP;
const SOURCE_WIDTH = CONTENT_WIDTH - columns.source;
const LABEL_WIDTH = columns.value - GAP;
const ROW_PADDING = 2;
const QR_SIZE = 92;
const ART_WIDTH = 98;
const DIGITS_IN_GROUP = 8;
const HEX_PREFIX = '0x';

export async function drawCertificate(content: CertificateContent, signer: string): Promise<Buffer> {
  const canvas = new PdfCanvas({
    title: texts.documentTitle(content.fingerprint),
    author: content.registry,
    subject: texts.subject,
    language: texts.language,
    createdAt: content.issuedAt,
  });
  const sheet = new Sheet(canvas);
  drawHead(sheet, content);
  drawFingerprint(sheet, content);
  drawSummary(sheet, content);
  for (const notice of content.notices) drawNotice(sheet, notice);
  for (const { title, rows } of content.sections) drawTable(sheet, title, rows);
  drawList(sheet, texts.sections.proves, content.proves, '+');
  drawList(sheet, texts.sections.provesNot, content.provesNot, '–');
  drawSteps(sheet, content.steps);
  drawSources(sheet);
  sheet.root.end();
  drawFooters(canvas, content.fingerprint);
  reserveSignature(canvas.document, { signer, reason: texts.signatureReason, time: content.issuedAt });
  return canvas.finish();
}

/** Where the next element is drawn, from the top of the page down. */
class Sheet {
  y: number = PAGE.margin;
  readonly root: Structure;

  constructor(readonly canvas: PdfCanvas) {
    this.root = canvas.open(undefined, 'Document');
  }

  /** Begins a new page unless so much fits on this one. */
  reserve(height: number): void {
    if (this.y + height <= PAGE.height - PAGE.bottom) return;
    this.canvas.document.addPage();
    this.y = PAGE.margin;
  }

  paragraph(parent: Structure, type: string, text: string, ink: Ink, { x = 0, width = CONTENT_WIDTH } = {}): void {
    const lines = this.canvas.layOut(text, ink, width);
    this.reserve(this.canvas.heightOf(lines, ink));
    this.canvas.add(parent, type, () => {
      this.y = this.canvas.drawLines(lines, ink, PAGE.margin + x, this.y, width);
    });
  }
}

function drawHead(sheet: Sheet, { registry, issuedAt }: CertificateContent): void {
  sheet.canvas.fill(0, 0, PAGE.width, 6, colors.accent);
  sheet.paragraph(sheet.root, 'H1', texts.title, inks.title);
  sheet.y += 2;
  sheet.paragraph(sheet.root, 'P', texts.issuedBy(registry), inks.issuer);
  sheet.paragraph(sheet.root, 'P', texts.issuedAt(formatTime(issuedAt)), inks.issuer);
  sheet.y += 8;
  sheet.paragraph(sheet.root, 'P', texts.introduction(registry), inks.body);
  sheet.y += 10;
}

/** Draws the fingerprint in one line without gaps, so that it is copied whole; shading groups the digits. */
function drawFingerprint(sheet: Sheet, { fingerprint }: CertificateContent): void {
  const { canvas } = sheet;
  sheet.paragraph(sheet.root, 'P', texts.fingerprintLabel, inks.small);
  const ink = inks.fingerprint;
  const [line] = canvas.layOut(fingerprint, ink, CONTENT_WIDTH * 2);
  if (!line) return;
  const scaled = { ...ink, size: (ink.size * (CONTENT_WIDTH - 8)) / line.width };
  const lines = canvas.layOut(fingerprint, scaled, CONTENT_WIDTH);
  const height = canvas.heightOf(lines, scaled) + 6;
  const digit = (lines[0]?.width ?? 0) / fingerprint.length;
  canvas.fill(PAGE.margin, sheet.y, CONTENT_WIDTH, height, colors.panel);
  for (let group = HEX_PREFIX.length; group < fingerprint.length; group += 2 * DIGITS_IN_GROUP) {
    canvas.fill(PAGE.margin + 4 + group * digit, sheet.y, DIGITS_IN_GROUP * digit, height, colors.shade);
  }
  canvas.add(sheet.root, 'P', () => {
    canvas.drawLines(lines, scaled, PAGE.margin + 4, sheet.y + 3, CONTENT_WIDTH);
  });
  sheet.y += height + 12;
}

function drawSummary(sheet: Sheet, { summary, randomart, pageUrl }: CertificateContent): void {
  const { canvas } = sheet;
  const top = sheet.y;
  const artBottom = drawRandomart(sheet, randomart);
  sheet.y = top;
  const x = ART_WIDTH + 18;
  const width = CONTENT_WIDTH - ART_WIDTH - QR_SIZE - 36;
  for (const { heading, parts } of summary) {
    sheet.paragraph(sheet.root, 'P', heading, inks.small, { x, width });
    for (const { text } of parts) sheet.paragraph(sheet.root, 'P', text, inks.strong, { x, width });
    sheet.y += 4;
  }
  sheet.paragraph(sheet.root, 'P', texts.signatureLabel, inks.small, { x, width });
  sheet.paragraph(sheet.root, 'P', texts.signatureNote, inks.quiet, { x, width });
  const summaryBottom = sheet.y;
  sheet.y = top;
  const qrX = CONTENT_WIDTH - QR_SIZE;
  sheet.paragraph(sheet.root, 'Caption', texts.qrLabel, inks.small, { x: qrX, width: QR_SIZE });
  canvas.add(sheet.root, 'Figure', () => drawQr(canvas, pageUrl, PAGE.margin + qrX, sheet.y + 2), texts.qrAlt(pageUrl));
  sheet.y = Math.max(artBottom, summaryBottom, sheet.y + QR_SIZE) + 12;
}

function drawRandomart(sheet: Sheet, rows: readonly string[]): number {
  const { canvas } = sheet;
  sheet.paragraph(sheet.root, 'Caption', texts.randomartLabel, inks.small, { width: ART_WIDTH });
  const top = sheet.y + 2;
  const ink = inks.art;
  const [sample] = canvas.layOut('M', ink, ART_WIDTH);
  const cell = sample?.width ?? ink.size;
  const rowHeight = ink.size * 1.2;
  const [width, height] = [cell * (rows[0]?.length ?? 0) + 12, rowHeight * rows.length + 10];
  canvas.asDecoration(() => {
    canvas.document.rect(PAGE.margin, top, width, height).lineWidth(0.75).strokeColor(colors.accent).stroke();
  });
  canvas.add(
    sheet.root,
    'Figure',
    () => {
      canvas.document.font('mono').fontSize(ink.size).fillColor(ink.color);
      for (const [line, row] of rows.entries()) {
        for (const [column, character] of [...row].entries()) {
          if (character === ' ') continue;
          const baseline = top + 5 + (line + 0.9) * rowHeight;
          canvas.document.text(character, PAGE.margin + 6 + column * cell, baseline, {
            lineBreak: false,
            baseline: 'alphabetic',
          });
        }
      }
    },
    texts.randomartAlt,
  );
  return top + height;
}

function drawQr(canvas: PdfCanvas, url: string, x: number, y: number): void {
  const { data, size } = encode(url, { ecc: 'M', border: 0 });
  const module = QR_SIZE / size;
  for (const [row, modules] of data.entries()) {
    for (const [column, isDark] of modules.entries()) {
      if (isDark) canvas.document.rect(x + column * module, y + row * module, module, module);
    }
  }
  canvas.document.fill('#000000');
}

function drawNotice(sheet: Sheet, { tone, heading, paragraphs }: Notice): void {
  const { canvas } = sheet;
  const isWarning = tone === 'warning';
  const width = CONTENT_WIDTH - 24;
  const headingInk = isWarning ? inks.warning : inks.strong;
  const head = canvas.layOut(heading, headingInk, width);
  const bodies = paragraphs.map((text) => canvas.layOut(text, inks.body, width));
  const height =
    canvas.heightOf(head, headingInk) + bodies.reduce((sum, lines) => sum + canvas.heightOf(lines, inks.body), 0) + 14;
  sheet.reserve(height + 8);
  canvas.fill(PAGE.margin, sheet.y, CONTENT_WIDTH, height, isWarning ? colors.warningPanel : colors.panel);
  canvas.fill(PAGE.margin, sheet.y, 3, height, isWarning ? colors.warning : colors.accent);
  const bottom = sheet.y + height;
  sheet.y += 7;
  sheet.paragraph(sheet.root, 'P', heading, headingInk, { x: 14, width });
  for (const text of paragraphs) sheet.paragraph(sheet.root, 'P', text, inks.body, { x: 14, width });
  sheet.y = bottom + 8;
}

/** Together with what begins it, so that no heading ends a page. */
function drawHeading(sheet: Sheet, title: string, following: number): void {
  sheet.y += 7;
  sheet.reserve(24 + following);
  sheet.paragraph(sheet.root, 'H2', title, inks.heading);
  sheet.canvas.rule(sheet.y + 1, colors.accent);
  sheet.y += 5;
}

function drawTable(sheet: Sheet, title: string, rows: readonly Row[]): void {
  const { canvas } = sheet;
  drawHeading(sheet, title, 40);
  const table = canvas.open(sheet.root, 'Table');
  for (const row of rows) drawRow(sheet, table, row);
  table.end();
}

function drawRow(sheet: Sheet, table: Structure, { label, parts, source }: Row): void {
  const { canvas } = sheet;
  const labelLines = canvas.layOut(label, inks.strong, LABEL_WIDTH);
  const sourceLines = canvas.layOut(texts.sources[source], inks.quiet, SOURCE_WIDTH);
  const values = parts.map((part) => {
    const ink = inkOf(part);
    return { ink, lines: canvas.layOut(part.text, ink, VALUE_WIDTH) };
  });
  const valueHeight = values.reduce((sum, { lines, ink }) => sum + canvas.heightOf(lines, ink), 0);
  const sideHeights = [canvas.heightOf(labelLines, inks.strong), canvas.heightOf(sourceLines, inks.quiet)];
  const height = Math.max(valueHeight, ...sideHeights) + 2 * ROW_PADDING;
  sheet.reserve(height);
  const top = sheet.y + ROW_PADDING;
  const tableRow = canvas.open(table, 'TR');
  canvas.add(tableRow, 'TH', () => canvas.drawLines(labelLines, inks.strong, PAGE.margin, top, LABEL_WIDTH));
  canvas.add(tableRow, 'TD', () => {
    let y = top;
    for (const { lines, ink } of values) y = canvas.drawLines(lines, ink, PAGE.margin + columns.value, y, VALUE_WIDTH);
  });
  canvas.add(tableRow, 'TD', () =>
    canvas.drawLines(sourceLines, inks.quiet, PAGE.margin + columns.source, top + 1.5, SOURCE_WIDTH),
  );
  tableRow.end();
  sheet.y += height;
  canvas.rule(sheet.y, colors.rule);
}

function inkOf({ isCode, isQuiet }: Part): Ink {
  if (isCode) return inks.code;
  return isQuiet ? inks.quiet : inks.body;
}

function drawList(sheet: Sheet, title: string, items: readonly string[], bullet: string): void {
  drawHeading(sheet, title, 30);
  const list = sheet.canvas.open(sheet.root, 'L');
  for (const item of items) drawItem(sheet, list, bullet, [{ text: item, ink: inks.body }]);
  list.end();
}

function drawSteps(sheet: Sheet, steps: CertificateContent['steps']): void {
  drawHeading(sheet, texts.sections.verify, 40);
  const list = sheet.canvas.open(sheet.root, 'L');
  for (const [index, { text, command }] of steps.entries()) {
    const command_ = command === undefined ? [] : [{ text: command, ink: inks.code }];
    drawItem(sheet, list, `${index + 1}.`, [{ text, ink: inks.body }, ...command_]);
  }
  list.end();
}

function drawItem(
  sheet: Sheet,
  list: Structure,
  bullet: string,
  parts: readonly { readonly text: string; readonly ink: Ink }[],
): void {
  const { canvas } = sheet;
  const width = CONTENT_WIDTH - 18;
  const laidOut = parts.map(({ text, ink }) => ({ ink, lines: canvas.layOut(text, ink, width) }));
  const height = laidOut.reduce((sum, { lines, ink }) => sum + canvas.heightOf(lines, ink), 0) + 4;
  sheet.reserve(height);
  const item = canvas.open(list, 'LI');
  const bulletLines = canvas.layOut(bullet, inks.strong, 16);
  canvas.add(item, 'Lbl', () => canvas.drawLines(bulletLines, inks.strong, PAGE.margin, sheet.y, 16));
  canvas.add(item, 'LBody', () => {
    let { y } = sheet;
    for (const { lines, ink } of laidOut) y = canvas.drawLines(lines, ink, PAGE.margin + 18, y, width);
  });
  item.end();
  sheet.y += height;
}

function drawSources(sheet: Sheet): void {
  drawHeading(sheet, texts.sections.sources, 60);
  const list = sheet.canvas.open(sheet.root, 'L');
  for (const [source, name] of Object.entries(texts.sources)) {
    const note = Object.entries(texts.sourceNotes).find(([key]) => key === source)?.[1] ?? '';
    drawItem(sheet, list, '•', [{ text: `${name}: ${note}`, ink: inks.quiet }]);
  }
  list.end();
}

/** When the number of pages is known. */
function drawFooters(canvas: PdfCanvas, fingerprint: string): void {
  const { count } = canvas.document.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    canvas.document.switchToPage(page);
    const y = PAGE.height - PAGE.bottom + 18;
    canvas.rule(y, colors.rule);
    const lines = canvas.layOut(texts.footer(fingerprint, page + 1, count), inks.quiet, CONTENT_WIDTH);
    canvas.asDecoration(() => canvas.drawLines(lines, inks.quiet, PAGE.margin, y + 4, CONTENT_WIDTH));
  }
}
