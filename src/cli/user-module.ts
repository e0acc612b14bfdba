import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redactSecrets } from '../core/errors/redact-secrets.ts';
import { UsageError } from './usage-error.ts';

/** Returns the default export of a user's module. @throws {UsageError} when it cannot be loaded, with the place of the cause. */
export async function importDefault(file: string, address: string): Promise<unknown> {
  try {
    const module = (await import(address)) as { readonly default?: unknown };
    return module.default;
  } catch (cause) {
    throw cannotLoad(file, cause);
  }
}

export const cannotLoad = (file: string, cause: unknown): UsageError =>
  new UsageError(`${file} cannot be loaded. ${redactSecrets(causeText(cause))}`, { cause });

/** Checks that the module uses this copy of the package: one copy cannot drive the machines of another. @throws {UsageError} */
export function checkCopy(file: string, path: string, command: string): void {
  let theirs: string;
  try {
    theirs = createRequire(path).resolve('agent-machines/package.json');
  } catch {
    return; // the module reports missing imports itself
  }
  if (realpathSync(theirs) === realpathSync(fileURLToPath(import.meta.resolve('agent-machines/package.json')))) return;
  throw new UsageError(`${file} uses the copy of agent-machines in ${dirname(theirs)}. Run npx agent-machines ${command} from there.`);
}

/** Keeps the source location above the message, and drops the call stack below it. */
const causeText = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  const lines = (cause.stack ?? '').split('\n');
  const end = lines.findIndex((line) => /^\s+at /.test(line));
  const head = (end < 0 ? lines : lines.slice(0, end)).join('\n');
  return head.includes(cause.message) ? head : `${head}\n${cause.name}: ${cause.message}`;
};
