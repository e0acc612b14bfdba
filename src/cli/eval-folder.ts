import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowError } from '../core/errors/errors.ts';
import { readRegularFile, withOpenFile } from '../core/node/files/read-regular-file.ts';
import { fileProblem, systemCode } from '../core/node/files/system-code.ts';
import { hash } from '../core/util/hash.ts';
import type { EvalDetails, EvalShelf, EvalSummary, EvalVersion, RefusedReport } from '../server/index.ts';
import { type FileReport, parseEvalReports } from './eval-report-file.ts';

/** Limits of a folder: a page that shows more would be slow, and a file is parsed in one piece. */
const limits = { files: 500, fileBytes: 8_000_000, versions: 8, evalBytes: 24_000_000 };

/** A file of the folder. */
interface Found {
  readonly file: string;
  readonly addedAt: number;
  readonly sizeBytes: number;
  /** Changes with the content. */
  readonly stamp: string;
}

/** Content of a file without its runs, for lists. */
type Outline = Found & ({ readonly reports: readonly ReportOutline[] } | { readonly refused: RefusedReport });
type ReportOutline = Pick<FileReport, 'eval' | 'workflow' | 'ok'> & { readonly cases: number };

/** Reads the reports of evals in a folder: each `.json` file that `agent-machines eval --json` has written. Links are not followed. */
export function evalFolder(folder: string): EvalShelf {
  /** Cache of outlines by file. A changed file has another stamp. */
  let known = new Map<string, Outline>();
  const outlineOf = async (found: Found): Promise<Outline | undefined> => {
    const cached = known.get(found.file);
    if (cached?.stamp === found.stamp) return cached;
    const read = await reportsOf(folder, found);
    if (!read || 'refused' in read) return read && { ...found, ...read };
    const reports = read.reports.map(({ eval: name, workflow, ok, runs }) => ({
      eval: name,
      workflow,
      ok,
      cases: new Set(runs.map((run) => run.case)).size,
    }));
    return { ...found, reports };
  };
  const look = async (): Promise<{ readonly outlines: readonly Outline[]; readonly older: number }> => {
    const files = await findFiles(folder);
    const outlines: Outline[] = [];
    for (const found of files.slice(0, limits.files)) outlines.push(...[(await outlineOf(found)) ?? []].flat());
    known = new Map(outlines.map((outline) => [outline.file, outline]));
    return { outlines, older: Math.max(0, files.length - limits.files) };
  };
  return {
    async list() {
      const { outlines, older } = await look();
      const refused = outlines.flatMap((outline) => ('refused' in outline ? [outline.refused] : []));
      return { evals: summariesOf(outlines), refused, ...(older > 0 ? { older } : {}) };
    },
    async get(id) {
      const { outlines } = await look();
      const summary = summariesOf(outlines).find((one) => one.id === id);
      return summary && detailsOf(folder, summary, outlines);
    },
  };
}

function summariesOf(outlines: readonly Outline[]): readonly EvalSummary[] {
  const found = outlines.flatMap((outline) =>
    // the last report of a comparison is the newest version
    'reports' in outline ? outline.reports.toReversed().map((report) => ({ ...report, updatedAt: outline.addedAt })) : [],
  );
  return [...Map.groupBy(found, (report) => report.eval)].flatMap(([name, versions]) => {
    const [newest] = versions;
    if (!newest) return [];
    const { workflow, cases, ok, updatedAt } = newest;
    return [{ id: idOf(name), name, workflow, cases, versions: versions.length, ok, updatedAt }];
  });
}

const idOf = (name: string): string => (/^[\w-]{1,64}$/.test(name) ? name : `e_${hash(name)}`);

/** Reads the newest files of an eval as far as the limits reach. */
async function detailsOf(folder: string, summary: EvalSummary, outlines: readonly Outline[]): Promise<EvalDetails> {
  const versions: EvalVersion[] = [];
  let bytes = 0;
  for (const outline of outlines) {
    if (!('reports' in outline) || outline.reports.every((report) => report.eval !== summary.name)) continue;
    bytes += outline.sizeBytes;
    if (versions.length > 0 && (versions.length >= limits.versions || bytes > limits.evalBytes)) break;
    const read = await reportsOf(folder, outline);
    if (!read || 'refused' in read) continue; // changed meanwhile
    const own = read.reports.filter((report) => report.eval === summary.name);
    versions.unshift(...own.map(({ eval: _, ...report }) => ({ ...report, addedAt: outline.addedAt })));
  }
  return { ...summary, reports: versions.slice(-limits.versions) };
}

/** Returns the files of a folder, newest first. */
async function findFiles(folder: string): Promise<readonly Found[]> {
  const names = (await readdir(folder).catch(noFolder)).filter((name) => /^[^.].*\.json$/is.test(name));
  const found: Found[] = [];
  for (const file of names) {
    const stat = await lstat(join(folder, file)).catch(() => undefined); // removed meanwhile
    if (!stat || stat.isDirectory()) continue;
    const { ino, size: sizeBytes, mtimeMs, ctimeMs } = stat;
    found.push({ file, sizeBytes, addedAt: Math.round(mtimeMs), stamp: `${ino} ${sizeBytes} ${mtimeMs} ${ctimeMs}` });
  }
  return found.sort((a, b) => b.addedAt - a.addedAt || (a.file < b.file ? 1 : -1));
}

type Read = { readonly reports: readonly FileReport[] } | { readonly refused: RefusedReport };

/** Returns the reports of a file, or its error; `undefined` if it was removed meanwhile. */
async function reportsOf(folder: string, { file }: Found): Promise<Read | undefined> {
  try {
    const read = await withOpenFile(join(folder, file), (open) => readRegularFile(open, { maxBytes: limits.fileBytes }), {
      followLinks: false,
    });
    if (read.kind === 'irregular') throw notRegular(file);
    if (read.kind === 'large') throw tooLarge(file);
    return { reports: parseEvalReports(textOf(read.bytes, file), file) };
  } catch (error) {
    const refused = errorOf(error, file);
    if (!refused) return undefined;
    const { code, message, hint } = refused;
    return { refused: { file, code, message, ...(hint === undefined ? {} : { hint }) } };
  }
}

function errorOf(error: unknown, file: string): WorkflowError | undefined {
  if (WorkflowError.isInstance(error)) return error;
  const code = systemCode(error);
  if (code === 'ENOENT') return undefined;
  if (code === 'ELOOP' || (code !== undefined && fileProblem(code) === 'irregular')) return notRegular(file);
  return new WorkflowError({
    code: 'EVAL_REPORT_INVALID',
    message: `${file} cannot be read${code === undefined ? '' : ` (${code})`}.`,
    hint: 'Let the server read the file, or remove it.',
  });
}

function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new WorkflowError({ code: 'FILE_NOT_TEXT', message: `${file} is not UTF-8.`, hint: 'Write the report again.' });
  }
}

function noFolder(error: unknown): never {
  throw new WorkflowError({
    code: 'FILE_NOT_FOUND',
    message: `The folder of --evals cannot be read (${systemCode(error) ?? 'unknown'}).`,
    hint: 'Create it again, and let the server read it.',
  });
}

const notRegular = (file: string): WorkflowError =>
  new WorkflowError({
    code: 'FILE_NOT_REGULAR',
    message: `${file} is a link or no regular file.`,
    hint: 'Copy the report into the folder.',
  });

const tooLarge = (file: string): WorkflowError =>
  new WorkflowError({
    code: 'FILE_TOO_LARGE',
    message: `${file} is larger than ${limits.fileBytes / 1_000_000} MB.`,
    hint: 'Run fewer cases at a time, with --only.',
  });
