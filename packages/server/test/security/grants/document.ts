// The tables of docs/access.md, made of the data.

import { type Cell, grants, lossGroups, type ReasonId, reasons } from './table.js';

const letters = Object.fromEntries(
  Object.keys(reasons).map((id, index) => [id, String.fromCharCode('a'.charCodeAt(0) + index)]),
) as Readonly<Record<ReasonId, string>>;

/** Each piece of the document that is made of the data, by its name. */
export function renderPieces(): Readonly<Record<string, string>> {
  return {
    'what each grant rests on': renderTable([
      ['Grant', 'Rests on', 'Made by'],
      ...Object.values(grants).map(({ name, restsOn, madeBy }) => [name, restsOn, madeBy]),
    ]),
    'losses of accounts': renderLosses(lossGroups.account),
    'losses in organizations': renderLosses(lossGroups.organization),
    'losses of Marks and API keys': renderLosses(lossGroups.other),
    'reasons why grants stay': Object.entries(reasons)
      .map(([id, reason]) => `- **${letters[id as ReasonId]}**: ${reason}`)
      .join('\n'),
  };
}

function renderLosses(losses: Readonly<Record<string, string>>): string {
  const rows = Object.values(grants).map(({ name, cells }) => [
    name,
    ...Object.entries(cells as Readonly<Record<string, Cell>>)
      .filter(([loss]) => loss in losses)
      .map(([loss, cell]) => [Object.keys(losses).indexOf(loss), describeCell(cell)] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, text]) => text),
  ]);
  return renderTable([['Grant', ...Object.values(losses)], ...rows]);
}

function describeCell(cell: Cell): string {
  if (cell === 'ends') return '**ends**';
  return cell === 'suspended' ? '**suspended**' : letters[cell];
}

function renderTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
