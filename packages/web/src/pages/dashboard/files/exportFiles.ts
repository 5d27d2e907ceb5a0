// Exports a list of files as CSV or JSON, all pages of it.

import type { Artifact } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/files';
import { type FileFilters, isFiltered, toQuery } from './fileFilters.js';
import { type ListClient, listAll } from './listAll.js';

export type ExportFormat = 'csv' | 'json';

interface ExportOptions {
  readonly filters: FileFilters;
  readonly format: ExportFormat;
  /** Address of the service, for links. */
  readonly origin: string;
  readonly signal: AbortSignal;
  readonly onProgress: (number: number) => void;
}

export async function exportFiles(
  client: ListClient,
  options: ExportOptions,
): Promise<{ content: Blob; count: number }> {
  const { filters, format, origin, signal, onProgress } = options;
  const lines: string[] = [];
  for await (const artifact of listAll(client, filters, signal)) {
    lines.push(format === 'csv' ? toCsvLine(toCells(artifact, origin)) : JSON.stringify(artifact));
    if (lines.length % 200 === 0) onProgress(lines.length);
  }
  const content = format === 'csv' ? joinCsv(lines) : joinJson(lines, filters);
  return { content, count: lines.length };
}

/** Spreadsheets take UTF-8 without a byte order mark for an older encoding. */
function joinCsv(lines: readonly string[]): Blob {
  return new Blob(['\ufeff', toCsvLine(texts.csvColumns), ...lines], { type: 'text/csv;charset=utf-8' });
}

function joinJson(lines: readonly string[], filters: FileFilters): Blob {
  const head = {
    exportedAt: new Date().toISOString(),
    filters: isFiltered(filters) ? toQuery(filters) : {},
  };
  const start = JSON.stringify(head).slice(0, -1);
  return new Blob([`${start},"artifacts":[\n${lines.join(',\n')}\n]}\n`], { type: 'application/json' });
}

function toCells(artifact: Artifact, origin: string): string[] {
  const { fingerprint, status, createdAt, mark, metadata, license, renditions } = artifact;
  return [
    metadata.filename ?? '',
    fingerprint,
    status,
    createdAt,
    'name' in mark ? mark.name : '',
    mark.id,
    metadata.kind,
    metadata.mediaType ?? '',
    String(metadata.size ?? ''),
    license?.name ?? '',
    artifact.contentVisibility,
    artifact.authorshipStated ? texts.csvYes : texts.csvNo,
    renditions.map((rendition) => rendition.fingerprint).join(' '),
    artifact.transactionHash ?? '',
    `${origin}/artifacts/${fingerprint}`,
  ];
}

/** RFC 4180: every cell in quotes, and lines that end with CRLF. */
export function toCsvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${escapeFormula(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Spreadsheets compute cells that begin with one of these. An apostrophe makes them text, and is visible in some programs. */
function escapeFormula(cell: string): string {
  return /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? `'${cell}` : cell;
}
