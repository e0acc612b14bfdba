import { optionInvalid } from '../../core/util/check-options.ts';

const host = String.raw`[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*`;
const mailbox = String.raw`[\p{L}\p{N}._+'=-]+`;
const targetForm = new RegExp(`^(?:(?<user>${mailbox})@)?(?<host>${host})$`, 'u');
const patternForm = new RegExp(String.raw`^(?:(?<user>\*|${mailbox})@)?(?<any>\*\.)?(?<host>${host})$`, 'u');

/**
 * Returns `patterns` if each is a host (`example.com`), its subdomains (`*.example.com`), a recipient (`kim@example.com`), or a whole
 * domain of recipients (`*@example.com`).
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 */
export function checkAllowTargets(patterns: readonly string[]): readonly string[] {
  for (const pattern of patterns) {
    if (typeof pattern === 'string' && patternForm.test(plain(pattern))) continue;
    throw optionInvalid(
      `allowTargets has ${JSON.stringify(pattern)}.`,
      'Use hosts and recipients such as "example.com", "*.example.com", "kim@example.com" or "*@example.com".',
      'allowTargets',
    );
  }
  return patterns;
}

/** True if there are targets and each fully matches a pattern: `a@example.com.evil.test` does not match `*@example.com`. */
export const areAllowed = (targets: readonly string[], patterns: readonly string[]): boolean =>
  targets.length > 0 && targets.every((target) => patterns.some((pattern) => matches(target, pattern)));

function matches(target: unknown, pattern: string): boolean {
  const found = typeof target === 'string' ? targetForm.exec(plain(target))?.groups : undefined;
  const allowed = patternForm.exec(plain(pattern))?.groups;
  if (!found?.host || !allowed?.host) return false;
  const fitsUser = allowed.user === '*' ? found.user !== undefined : allowed.user === found.user;
  return fitsUser && (allowed.any ? found.host.endsWith(`.${allowed.host}`) : found.host === allowed.host);
}

/** Normalizes case, composition and a final dot. */
const plain = (name: string): string => name.normalize('NFKC').toLowerCase().replace(/\.$/, '');
