import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyEval } from 'agent-machines/evals';
import { WorkflowError } from '../core/errors/errors.ts';
import { isObject } from '../core/util/is-object.ts';
import { UsageError } from './usage-error.ts';
import { checkCopy, importDefault } from './user-module.ts';

export interface LoadedEval {
  /** Absolute path of the file. */
  readonly path: string;
  /** The eval with its cases. */
  readonly definition: AnyEval;
  /** Absolute path of the file of the cases, if they are in one. */
  readonly casesFile?: string;
}

/**
 * Loads the eval that a file exports as default, and its cases.
 *
 * @throws {UsageError} when a file is missing or cannot be loaded, or its default export is no eval.
 * @throws {WorkflowError} `OPTION_INVALID` of `defineEval`, `CASES_INVALID` of the file of the cases.
 */
export async function loadEval(file: string): Promise<LoadedEval> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${file}.`);
  checkCopy(file, path, 'eval');
  const value = await importEval(file, path);
  if (!isEval(value)) {
    throw new UsageError(`The default export of ${file} is no eval. Write: export default defineEval({ name, workflow, cases, graders });`);
  }
  const { defineEval, parseCases } = await import('../testing/evals/index.ts');
  const definition = defineEval(value);
  if (typeof definition.cases !== 'string') return { path, definition };
  const casesFile = resolve(dirname(path), definition.cases);
  if (!existsSync(casesFile)) throw new UsageError(`There is no file ${definition.cases} with the cases of ${file}.`);
  const format = formatOf(definition.cases);
  const cases = parseCases(await readFile(casesFile, 'utf8'), { format, file: definition.cases });
  return { path, definition: defineEval({ ...definition, cases }), casesFile };
}

async function importEval(file: string, path: string): Promise<unknown> {
  try {
    return await importDefault(file, pathToFileURL(path).href);
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    throw WorkflowError.isInstance(cause) ? cause : error; // of `defineEval`, with its hint
  }
}

const isEval = (value: unknown): value is AnyEval =>
  isObject(value) && typeof value.workflow === 'function' && Array.isArray(value.graders) && 'cases' in value;

function formatOf(file: string): 'jsonl' | 'csv' {
  const ending = extname(file).toLowerCase();
  if (ending === '.jsonl' || ending === '.ndjson') return 'jsonl';
  if (ending === '.csv') return 'csv';
  throw new UsageError(`${file} is neither .jsonl nor .csv.`);
}
