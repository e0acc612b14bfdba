import { WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import { isObject } from '../../core/util/is-object.ts';
import { nearestName } from '../../core/util/nearest-name.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { type EvalCase, isEvents, isTexts } from './eval-case.ts';

export interface ParseCasesOptions {
  /** `jsonl`: a case of JSON on each line. `csv`: a header line, then a case on each row. @default 'jsonl' */
  readonly format?: 'jsonl' | 'csv';
  /** Name of the file, for messages. @default 'cases' */
  readonly file?: string;
}

const fields = ['name', 'input', 'expected', 'answers', 'path', 'finalState'] as const;
const jsonFields = ['answers', 'path'];

/**
 * Reads cases from text. A case without a name is named by its line. Inputs are checked by the workflow when a run starts.
 *
 * Columns of a CSV file are the fields of a case; `input.x` is the member `x` of the input. Cells are text; those of `answers`, `path` and of
 * a column whose name ends in `:json` are JSON. An empty cell is absent.
 *
 * @throws {WorkflowError} `CASES_INVALID` with the number of the line: broken JSON or CSV, an unknown field, no input, a name used twice.
 * @example parseCases('{"name": "small", "input": {"input": "What is 6 * 7?"}, "expected": "42"}')
 */
export function parseCases<TInput, TExpected>(
  text: string,
  { format = 'jsonl', file = 'cases' }: ParseCasesOptions = {},
): readonly EvalCase<TInput, TExpected>[] {
  const whole = text.replace(/^\ufeff/, '');
  const found = format === 'csv' ? csvRows(whole, file) : jsonLines(whole, file);
  const lines = new Map<string, number>();
  const cases = found.map(({ line, value }) => {
    const one = toCase<TInput, TExpected>(value, line, file);
    const before = lines.get(one.name);
    if (before !== undefined) throw invalid(file, line, `the name "${one.name}" is that of line ${before}`);
    lines.set(one.name, line);
    return one;
  });
  if (cases.length === 0) throw invalid(file, 1, 'there is no case');
  return cases;
}

interface FoundCase {
  /** From 1. */
  readonly line: number;
  readonly value: unknown;
}

function jsonLines(text: string, file: string): readonly FoundCase[] {
  return text.split('\n').flatMap((written, index): readonly FoundCase[] => {
    if (written.trim() === '') return [];
    try {
      return [{ line: index + 1, value: JSON.parse(written) as unknown }];
    } catch (cause) {
      throw invalid(file, index + 1, `it is not JSON (${messageOf(cause)})`);
    }
  });
}

function toCase<TInput, TExpected>(value: unknown, line: number, file: string): EvalCase<TInput, TExpected> {
  if (!isObject(value)) throw invalid(file, line, 'it is not an object');
  const { name = `line ${line}`, input, expected, answers, path, finalState } = value;
  const unknown = Object.keys(value).find((key) => !fields.some((field) => field === key));
  if (unknown !== undefined) {
    const meant = nearestName(unknown, fields);
    throw invalid(file, line, `it has an unknown field "${unknown}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`);
  }
  if (typeof name !== 'string' || name.trim() === '') throw invalid(file, line, 'its name is not a text');
  if (input === undefined) throw invalid(file, line, 'it has no input');
  if (answers !== undefined && !isEvents(answers)) throw invalid(file, line, 'its answers are not a list of events, each {"type": …}');
  if (path !== undefined && !isTexts(path)) throw invalid(file, line, 'its path is not a list of edges');
  if (finalState !== undefined && typeof finalState !== 'string') throw invalid(file, line, 'its finalState is not a text');
  return {
    name,
    input: input as TInput, // the workflow validates it
    ...(expected === undefined ? {} : { expected: expected as TExpected }),
    ...(answers === undefined ? {} : { answers }),
    ...(path === undefined ? {} : { path }),
    ...(finalState === undefined ? {} : { finalState }),
  };
}

function csvRows(text: string, file: string): readonly FoundCase[] {
  const [header, ...rows] = csvCells(text, file);
  if (!header) throw invalid(file, 1, 'it has no header');
  const names = header.cells.map((name) => name.trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(file, header.line, `the column "${twice}" is there twice`);
  return rows.map(({ line, cells }) => {
    if (cells.length !== names.length) throw invalid(file, line, `it has ${cells.length} cells, and the header has ${names.length}`);
    const value: Record<string, unknown> = {};
    for (const [index, name] of names.entries()) {
      const cell = cells[index] ?? '';
      if (cell !== '') setField(value, name, cell, (why) => invalid(file, line, why));
    }
    return { line, value };
  });
}

function setField(into: Record<string, unknown>, column: string, cell: string, refuse: (why: string) => WorkflowError): void {
  const name = column.replace(/:json$/, '');
  const isJson = name !== column || jsonFields.includes(name);
  const value = isJson ? parseJson(cell) : cell;
  if (value === undefined) throw refuse(`its cell "${column}" is not JSON`);
  const [field = '', ...keys] = name.split('.');
  if (field !== 'input' || keys.length === 0) {
    into[name] = value;
    return;
  }
  if (into.input !== undefined && !isObject(into.input)) throw refuse(`"input" and "${name}" are both given`);
  let at: Record<string, unknown> = isObject(into.input) ? { ...into.input } : {};
  into.input = at;
  for (const key of keys.slice(0, -1)) {
    const inner: Record<string, unknown> = isObject(at[key]) ? { ...at[key] } : {};
    at[key] = inner;
    at = inner;
  }
  at[keys.at(-1) ?? ''] = value;
}

interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Splits CSV of RFC 4180 into rows. Empty lines are skipped. */
function csvCells(text: string, file: string): readonly CsvRow[] {
  const rows: CsvRow[] = [];
  let line = 1;
  let start = 1;
  let cells: string[] = [];
  let at = 0;
  const end = (): void => {
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: start, cells });
    cells = [];
  };
  while (at < text.length || cells.length > 0) {
    if (cells.length === 0) start = line;
    const { cell, next } = text[at] === '"' ? quotedCell(text, at, (why) => invalid(file, line, why)) : plainCell(text, at);
    line += cell.split('\n').length - 1;
    cells.push(cell);
    at = next;
    if (text[at] === ',') {
      at++;
      if (at < text.length) continue;
      cells.push('');
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at++;
    else if (at < text.length && text[at] !== '\n') throw invalid(file, line, 'a quoted cell goes on after its end; write " inside as ""');
    at++;
    line++;
    end();
  }
  return rows;
}

function plainCell(text: string, start: number): { readonly cell: string; readonly next: number } {
  let next = start;
  while (next < text.length && text[next] !== ',' && text[next] !== '\n') next++;
  if (text[next] !== ',' && text[next - 1] === '\r') next--;
  return { cell: text.slice(start, Math.max(start, next)), next: Math.max(start, next) };
}

function quotedCell(text: string, start: number, refuse: (why: string) => WorkflowError): { readonly cell: string; readonly next: number } {
  let cell = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw refuse('a quote is not closed');
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { cell, next: quote + 1 };
    cell += '"';
    at = quote + 2;
  }
}

const invalid = (file: string, line: number, why: string): WorkflowError =>
  new WorkflowError({
    code: 'CASES_INVALID',
    message: `${file}, line ${line}: ${why}.`,
    hint: `Correct the line. A case has ${fields.join(', ')}.`,
    data: { file, line },
  });
