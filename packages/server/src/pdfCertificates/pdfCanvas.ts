// Draws on the pages of a tagged PDF document: lines of text in any script, with what each stands for in its structure.

import PDFDocument from 'pdfkit';
import { type FontName, fontPath } from './fonts.js';
import { type FontMetrics, type Line, layOut, type TextStyle } from './textLayout.js';

/** A4, in points. */
export const PAGE = { width: 595.28, height: 841.89, margin: 54, bottom: 64 } as const;
export const CONTENT_WIDTH = PAGE.width - 2 * PAGE.margin;

/** Room above and below the letters of a line, as a part of their size. */
const LEADING = 0.12;

export interface Ink extends TextStyle {
  readonly color: string;
}

export type Structure = PDFKit.PDFStructureElement;

export interface DocumentInfo {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  readonly language: string;
  readonly createdAt: Date;
}

export class PdfCanvas {
  readonly document: PDFKit.PDFDocument;
  readonly #metrics: FontMetrics;
  readonly #written: Promise<Buffer>;

  constructor({ title, author, subject, language, createdAt }: DocumentInfo) {
    this.document = new PDFDocument({
      size: 'A4',
      // The pages are filled by this class alone.
      margin: 0,
      // None by default: the library would open it again each time that it is chosen by another name.
      font: '',
      pdfVersion: '1.7',
      tagged: true,
      lang: language,
      displayTitle: true,
      bufferPages: true,
      info: { Title: title, Author: author, Subject: subject, CreationDate: createdAt, ModDate: createdAt },
    });
    this.#metrics = createMetrics(this.document);
    const chunks: Buffer[] = [];
    this.#written = new Promise((resolve, reject) => {
      this.document.on('data', (chunk: Buffer) => chunks.push(chunk));
      this.document.on('end', () => resolve(Buffer.concat(chunks)));
      this.document.on('error', reject);
    });
  }

  layOut(text: string, style: TextStyle, width: number): Line[] {
    return layOut(text, style, width, this.#metrics);
  }

  heightOf(lines: readonly Line[], style: TextStyle): number {
    return lines.reduce((sum, { ascent, descent }) => sum + ascent + descent + 2 * LEADING * style.size, 0);
  }

  /** Each line is clipped to its own height: marks that are piled up stay within it. Returns where the next line begins. */
  drawLines(lines: readonly Line[], { color, size }: Ink, x: number, top: number, width: number): number {
    let y = top;
    for (const line of lines) {
      const height = line.ascent + line.descent + 2 * LEADING * size;
      this.document
        .save()
        .rect(x - 1, y, width + 2, height)
        .clip();
      this.document.fillColor(color);
      for (const run of line.runs) this.#drawRun(run, x + run.x, y + LEADING * size + line.ascent);
      this.document.restore();
      y += height;
    }
    return y;
  }

  #drawRun({ text, style, actual }: Line['runs'][number], x: number, baseline: number): void {
    const { document } = this;
    if (actual !== undefined) document.markContent('Span', { actual });
    document.font(style.font).fontSize(style.size);
    document.text(text, x, baseline, { lineBreak: false, baseline: 'alphabetic' });
    if (actual !== undefined) document.endMarkedContent();
  }

  rule(y: number, color: string, x: number = PAGE.margin, width: number = CONTENT_WIDTH): void {
    this.asDecoration(() => {
      this.document
        .moveTo(x, y)
        .lineTo(x + width, y)
        .lineWidth(0.5)
        .strokeColor(color)
        .stroke();
    });
  }

  fill(x: number, y: number, width: number, height: number, color: string): void {
    this.asDecoration(() => {
      this.document.rect(x, y, width, height).fill(color);
    });
  }

  /** Not part of the text: rules, backgrounds and page numbers. */
  asDecoration(draw: () => void): void {
    this.document.markContent('Artifact', { type: 'Layout' });
    draw();
    this.document.endMarkedContent();
  }

  /** What `draw` draws is the content of a new element. */
  add(parent: Structure, type: string, draw: () => void, alt?: string): void {
    const element = this.document.struct(type, alt === undefined ? {} : { alt }, draw);
    parent.add(element);
    element.end();
  }

  open(parent: Structure | undefined, type: string): Structure {
    const element = this.document.struct(type);
    if (parent) parent.add(element);
    else this.document.addStructure(element);
    return element;
  }

  finish(): Promise<Buffer> {
    this.document.end();
    return this.#written;
  }
}

/** What the library keeps of an opened font. */
interface OpenedFont {
  readonly ascender: number;
  readonly descender: number;
  readonly font: { hasGlyphForCodePoint(codePoint: number): boolean };
}

function createMetrics(document: PDFKit.PDFDocument): FontMetrics {
  const opened = new Map<FontName, OpenedFont>();
  const widths = new Map<string, number | undefined>();
  const open = (name: FontName): OpenedFont => {
    const known = opened.get(name);
    if (known) return known;
    document.registerFont(name, fontPath(name));
    const font: unknown = Reflect.get(document.font(name), '_font');
    if (!isOpenedFont(font)) throw new Error('the fonts of the PDF library have another form');
    opened.set(name, font);
    return font;
  };
  const measure = (text: string, name: FontName, size: number): number | undefined => {
    open(name);
    try {
      return document.font(name).fontSize(size).widthOfString(text);
    } catch {
      // The library fails for marks without an anchor.
      return undefined;
    }
  };
  return {
    has: (name, codePoint) => open(name).font.hasGlyphForCodePoint(codePoint),
    widthOf(text, { font, size }) {
      const key = `${font} ${size} ${text}`;
      if (!widths.has(key)) widths.set(key, measure(text, font, size));
      return widths.get(key);
    },
    extentOf({ font, size }) {
      const { ascender, descender } = open(font);
      return { ascent: (ascender * size) / 1000, descent: (-descender * size) / 1000 };
    },
  };
}

function isOpenedFont(value: unknown): value is OpenedFont {
  if (typeof value !== 'object' || value === null || !('font' in value)) return false;
  const { font } = value;
  return (
    'ascender' in value &&
    'descender' in value &&
    typeof font === 'object' &&
    font !== null &&
    'hasGlyphForCodePoint' in font
  );
}
