import { shownList } from './shown-list.ts';

/** Issues of a schema library's error (Zod, Valibot, …) on one line; `undefined` for any other error. */
export function issuesText(error: unknown): string | undefined {
  const issues: unknown = typeof error === 'object' && error !== null && 'issues' in error ? error.issues : undefined;
  if (!Array.isArray(issues) || issues.length === 0) return undefined;
  return shownList(issues.map(issueText));
}

function issueText(issue: unknown): string {
  const { path, message } = (issue ?? {}) as { readonly path?: unknown; readonly message?: unknown };
  const place = Array.isArray(path) ? path.map(keyText).join('.') : '';
  return place === '' ? String(message) : `${place}: ${String(message)}`;
}

/** A part of a path is a key, or an object with one. */
const keyText = (part: unknown): string => String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part);
