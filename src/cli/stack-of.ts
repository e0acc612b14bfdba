import { fileURLToPath } from 'node:url';
import { isUnexpected, thrownOf } from '../core/errors/errors.ts';
import { messageOf } from '../core/errors/message-of.ts';
import { redactSecrets } from '../core/errors/redact-secrets.ts';
import { shorten } from '../core/errors/shorten.ts';
import type { ErrorInfo } from '../core/ports/error-info.ts';
import { escapeControls } from './terminal.ts';

const maxErrors = 20;
const maxTextLength = 20_000;

/** Folders of this package, as addresses and as paths. A frame of a stack has either. */
const ownFolders = ['../', '../../machines/']
  .map((folder) => new URL(folder, import.meta.url))
  .flatMap((url) => [url.href, fileURLToPath(url)]);

/** True with `--verbose`: stacks are whole, also those of errors with a code. */
export function isVerbose(): boolean {
  const words = process.argv.slice(2);
  return words.slice(0, words.includes('--') ? words.indexOf('--') : undefined).includes('--verbose');
}

/**
 * Returns the stack of any thrown value and of its causes, without secrets, for a terminal or a log. Frames of Node, packages and this
 * program are folded into one line with their number.
 *
 * @param whole True keeps every frame, in order.
 */
export function stackOf(thrown: unknown, whole = isVerbose()): string {
  const blocks: string[] = [];
  const seen = new Set<unknown>();
  const add = (error: unknown, label: string): void => {
    if (seen.has(error) || seen.size >= maxErrors) return;
    seen.add(error);
    const { stack, cause, errors } = partsOf(error);
    blocks.push(`${label}${whole ? stack : folded(stack)}`);
    for (const [index, one] of errors.entries()) add(one, `Error ${index + 1} of ${errors.length}: `);
    if (cause !== undefined) add(cause, 'Caused by: ');
  };
  add(thrown, '');
  return escapeControls(shorten(redactSecrets(blocks.join('\n')), maxTextLength));
}

/** Returns the stack of an error without a code, also of a tool, or with `--verbose` of any error; `undefined` for an error of another process. */
export function stackToShow(error: ErrorInfo): string | undefined {
  const thrown = thrownOf(error);
  return thrown !== undefined && (isUnexpected(error) || error.code === 'TOOL_FAILED' || isVerbose()) ? stackOf(thrown) : undefined;
}

function partsOf(thrown: unknown): { readonly stack: string; readonly cause?: unknown; readonly errors: readonly unknown[] } {
  try {
    if (!(thrown instanceof Error)) return { stack: messageOf(thrown), errors: [] };
    const stack = typeof thrown.stack === 'string' ? thrown.stack : thrown.message;
    const errors = 'errors' in thrown && Array.isArray(thrown.errors) ? thrown.errors : [];
    return { stack: shorten(stack, maxTextLength), cause: thrown.cause, errors };
  } catch {
    return { stack: 'The thrown value cannot be printed.', errors: [] }; // a getter or a proxy may throw on any access
  }
}

function folded(stack: string): string {
  const lines = stack.split('\n');
  const kept = lines.filter((line) => !isInternal(line));
  const count = lines.length - kept.length;
  return [...kept, ...(count === 0 ? [] : [`    … ${count} internal ${count === 1 ? 'frame' : 'frames'} (--verbose shows them)`])].join(
    '\n',
  );
}

const isInternal = (line: string): boolean =>
  /^\s+at /.test(line) &&
  (/[\\/]node_modules[\\/]|\bnode:|<anonymous>\)?$|\(index \d+\)$/.test(line) || ownFolders.some((folder) => line.includes(folder)));
