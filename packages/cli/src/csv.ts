// Comma-separated values by RFC 4180, safe to print and to open in a spreadsheet.

import { escapeControls } from './text.js';

export type CsvCell = string | number | boolean | null | undefined;

/** Spreadsheets calculate cells that start with these characters. */
const formulaStart = /^[=+\-@\t\r]/;

/** One line without its line break. Control characters are escaped, and a quote is put before what could be a formula. */
export function formatCsvLine(cells: readonly CsvCell[]): string {
  return cells.map(formatCell).join(',');
}

function formatCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return String(cell ?? '');
  const safe = escapeControls(formulaStart.test(cell) ? `'${cell}` : cell);
  return /[",]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
