// Lays texts out in lines: of any script, in any direction, each character in a font that has it.

import bidiModule from 'bidi-js';
import { type FontName, fontCandidates } from './fonts.js';
import { codePointName } from './visibleText.js';

export interface TextStyle {
  readonly font: FontName;
  readonly size: number;
}

/** What the layout needs to know of fonts. */
export interface FontMetrics {
  has(font: FontName, codePoint: number): boolean;
  /** Returns points; undefined if the font cannot shape it: piled-up marks may lack a place on their letter. */
  widthOf(text: string, style: TextStyle): number | undefined;
  extentOf(style: TextStyle): { readonly ascent: number; readonly descent: number };
}

/** A part of a line in one font and one direction. */
export interface Run {
  /** The text as it is given to the font: what is written from right to left in its logical order. */
  readonly text: string;
  readonly style: TextStyle;
  readonly x: number;
  readonly width: number;
  /** What a reader copies, if the glyphs are in another order. */
  readonly actual: string | undefined;
}

export interface Line {
  readonly runs: readonly Run[];
  readonly width: number;
  readonly ascent: number;
  readonly descent: number;
}

interface Cluster {
  readonly text: string;
  readonly level: number;
  readonly font: FontName;
  readonly isSpace: boolean;
  /** A line may begin with it. */
  readonly mayStart: boolean;
}

/** Its types are those for bundlers; what Node imports of a CommonJS package is the function itself. */
const bidi = (bidiModule as unknown as typeof bidiModule.default)();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('en', { granularity: 'word' });
/** Written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
/** Isolates order the text, and nothing is drawn for them; neither for what follows emoji. */
const isolate = /[\u2068\u2069]/u;
const undrawn = /\u200C|\u200D|\uFE0F/u;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thaana}\p{Script=Nko}]/u;
/** Fonts of these scripts draw some letters before those that they follow. */
const reordered =
  /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Thai}\p{Script=Lao}\p{Script=Tibetan}]/u;

export function layOut(text: string, style: TextStyle, width: number, metrics: FontMetrics, maxLines = 40): Line[] {
  const clusters = splitClusters(text, style, metrics);
  const lines: Cluster[][] = [[]];
  for (const unit of splitUnits(clusters)) placeUnit(lines, unit, style, width, metrics);
  if (lines.length > maxLines) {
    lines.length = maxLines;
    lines.at(-1)?.push({ text: '…', level: 0, font: 'regular', isSpace: false, mayStart: false });
  }
  return lines.map((line) => orderLine(trimEnd(line), style, metrics));
}

function splitClusters(text: string, style: TextStyle, metrics: FontMetrics): Cluster[] {
  const { levels } = bidi.getEmbeddingLevels(text);
  const starts = findStarts(text);
  let previous: FontName = style.font;
  return [...graphemes.segment(text)].flatMap(({ segment, index }) => {
    if (isolate.test(segment)) return [];
    const level = levels[index] ?? 0;
    const isSpace = /^\s$/u.test(segment);
    const mayStart = starts.has(index);
    const parts = chooseFonts(segment, style.font, previous, metrics);
    previous = parts.at(-1)?.font ?? previous;
    return parts.map((part, at) => ({ ...part, level, isSpace, mayStart: mayStart && at === 0 }));
  });
}

/** A grapheme in one font if one has all of it; otherwise its characters each in one, or as code points. */
function chooseFonts(
  grapheme: string,
  preferred: FontName,
  previous: FontName,
  metrics: FontMetrics,
): { text: string; font: FontName }[] {
  const drawn = [...grapheme].filter((character) => !undrawn.test(character));
  const candidates = fontCandidates(grapheme, preferred);
  const hasAll = (font: FontName) => drawn.every((character) => metrics.has(font, character.codePointAt(0) ?? 0));
  // Punctuation within a word of another script stays in its font, so that the word is shaped as one.
  const isNeutral = !/[\p{L}\p{N}]/u.test(grapheme);
  const font =
    (isNeutral && candidates.includes(previous) && hasAll(previous) ? previous : undefined) ?? candidates.find(hasAll);
  if (font !== undefined) return [{ text: grapheme, font }];
  if (drawn.length === 1) return [{ text: codePointName(grapheme), font: 'regular' }];
  return drawn.flatMap((character) => chooseFonts(character, preferred, previous, metrics));
}

/** Where a line may begin: after spaces, and between words of scripts without spaces. */
function findStarts(text: string): ReadonlySet<number> {
  const starts = new Set<number>();
  for (const { segment, index } of words.segment(text)) {
    const isAfterSpace = /\s/u.test(text[index - 1] ?? '');
    const isBetweenWords = unspaced.test(segment) && /[\p{L}\p{N}]/u.test(segment);
    if (index > 0 && (isAfterSpace || isBetweenWords)) starts.add(index);
  }
  return starts;
}

function splitUnits(clusters: readonly Cluster[]): Cluster[][] {
  const units: Cluster[][] = [];
  for (const cluster of clusters) {
    const unit = units.at(-1);
    if (!unit || cluster.mayStart) units.push([cluster]);
    else unit.push(cluster);
  }
  return units;
}

/** Places a unit on the last line, on a new one, or, if it is wider than a line, on several. */
function placeUnit(lines: Cluster[][], unit: Cluster[], style: TextStyle, width: number, metrics: FontMetrics): void {
  const line = lines.at(-1) ?? [];
  const fits = (clusters: Cluster[]) => measure(trimEnd(clusters), style, metrics) <= width;
  if (fits([...line, ...unit])) {
    line.push(...unit);
    return;
  }
  if (fits(unit)) {
    lines.push([...unit]);
    return;
  }
  let rest = unit;
  let current = line;
  while (rest.length > 0) {
    const count = countFitting(rest, (clusters) => fits([...current, ...clusters]));
    const taken = current.length === 0 ? Math.max(1, count) : count;
    current.push(...rest.slice(0, taken));
    rest = rest.slice(taken);
    if (rest.length > 0) {
      current = [];
      lines.push(current);
    }
  }
}

/** The largest number of clusters that fit, by halving. */
function countFitting(clusters: Cluster[], fits: (clusters: Cluster[]) => boolean): number {
  let [low, high] = [0, clusters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(clusters.slice(0, middle))) low = middle;
    else high = middle - 1;
  }
  return low;
}

function trimEnd(clusters: Cluster[]): Cluster[] {
  const last = clusters.findLastIndex(({ isSpace }) => !isSpace);
  return clusters.slice(0, last + 1);
}

function measure(clusters: readonly Cluster[], style: TextStyle, metrics: FontMetrics): number {
  return joinRuns(clusters, style, metrics).reduce((sum, { width }) => sum + width, 0);
}

interface MeasuredRun extends Cluster {
  readonly width: number;
}

/** Clusters of one font and level together; spaces by themselves, because lines are broken there. */
function joinRuns(clusters: readonly Cluster[], style: TextStyle, metrics: FontMetrics): MeasuredRun[] {
  const runs: Cluster[] = [];
  for (const cluster of clusters) {
    const last = runs.at(-1);
    const isSame =
      last && last.font === cluster.font && last.level === cluster.level && !last.isSpace && !cluster.isSpace;
    if (isSame) runs[runs.length - 1] = { ...last, text: last.text + cluster.text };
    else runs.push(cluster);
  }
  return runs.flatMap((run) => measureRun(run, style, metrics));
}

/** A run that its font cannot shape is drawn character by character. */
function measureRun(run: Cluster, style: TextStyle, metrics: FontMetrics): MeasuredRun[] {
  const width = metrics.widthOf(run.text, { ...style, font: run.font });
  if (width !== undefined) return [{ ...run, width }];
  const characters = [...run.text];
  if (characters.length === 1)
    return measureRun({ ...run, text: codePointName(run.text), font: 'regular' }, style, metrics);
  return characters.flatMap((text) => measureRun({ ...run, text }, style, metrics));
}

function orderLine(clusters: readonly Cluster[], style: TextStyle, metrics: FontMetrics): Line {
  let x = 0;
  const runs = reorder(joinRuns(clusters, style, metrics)).map(({ text, level, font, width }): Run => {
    const drawn = level % 2 === 1 ? toVisualOrder(text) : text;
    const actual = reordered.test(text) ? text : undefined;
    const run = { text: drawn, style: { ...style, font }, x, width, actual };
    x += width;
    return run;
  });
  const extents = [style, ...runs.map((run) => run.style)].map((one) => metrics.extentOf(one));
  return {
    runs,
    width: x,
    ascent: Math.max(...extents.map(({ ascent }) => ascent)),
    descent: Math.max(...extents.map(({ descent }) => descent)),
  };
}

/** Rule L2 of the bidirectional algorithm, for runs: from the highest level down, each sequence at it or above is reversed. */
function reorder(runs: readonly MeasuredRun[]): MeasuredRun[] {
  const ordered = [...runs];
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < ordered.length; start += 1) {
      let end = start;
      while ((ordered[end]?.level ?? -1) >= level) end += 1;
      ordered.splice(start, end - start, ...ordered.slice(start, end).reverse());
      start = Math.max(start, end);
    }
  }
  return ordered;
}

/** Fonts reverse the letters of scripts from right to left; punctuation alone is reversed here. Brackets are mirrored. */
function toVisualOrder(text: string): string {
  const mirrored = [...text].map((character) => bidi.getMirroredCharacter(character) ?? character);
  return (rightToLeft.test(text) ? mirrored : mirrored.reverse()).join('');
}
