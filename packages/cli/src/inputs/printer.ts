// Prints the results of many inputs as text, JSON or CSV.

import type { Context } from '../context.js';
import type { CsvCell } from '../csv.js';
import type { CommandError } from '../errors.js';
import type { Text } from '../text.js';

export interface ResultFormats<R> {
  toText(name: string, result: R): Text;
  toJson(name: string, result: R): object;
  /** The columns between the first, `file`, and the last, `error`. */
  readonly csvColumns: readonly string[];
  toCells(result: R): readonly CsvCell[];
}

export type InputOutcome<R> = { readonly name: string } & ({ readonly result: R } | { readonly error: CommandError });

export interface Printer<R> {
  print(outcome: InputOutcome<R>): void;
  end(): void;
}

export function createPrinter<R>(context: Context, formats: ResultFormats<R>): Printer<R> {
  const toJson = (outcome: InputOutcome<R>) =>
    'error' in outcome ? toErrorJson(outcome.name, outcome.error) : formats.toJson(outcome.name, outcome.result);
  if (context.format === 'json') {
    const document: object[] = [];
    return { print: (outcome) => document.push(toJson(outcome)), end: () => context.printResult(document) };
  }
  if (context.format === 'csv') return createCsvPrinter(context, formats);
  return {
    print(outcome) {
      if ('error' in outcome && context.format !== 'jsonLines') context.warn(outcome.error.message);
      else if (context.format || 'error' in outcome) context.printResult(toJson(outcome));
      else context.print(formats.toText(outcome.name, outcome.result));
    },
    end() {},
  };
}

function createCsvPrinter<R>(context: Context, { csvColumns, toCells }: ResultFormats<R>): Printer<R> {
  context.printCsvLine(['file', ...csvColumns, 'error']);
  return {
    print(outcome) {
      const isError = 'error' in outcome;
      const cells = isError ? csvColumns.map(() => '') : toCells(outcome.result);
      context.printCsvLine([outcome.name, ...cells, isError ? outcome.error.message : '']);
    },
    end() {},
  };
}

function toErrorJson(file: string, { message, code }: CommandError) {
  return { file, error: message, code };
}
