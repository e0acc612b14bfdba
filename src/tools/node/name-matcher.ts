import type { WorkflowError } from '../../core/errors/errors.ts';
import { optionInvalid } from '../../core/util/check-options.ts';

/**
 * Creates a test for paths in which some part, at any depth, matches one of the patterns. Names that some file system treats as equal
 * match: in any letter case and Unicode form, with invisible characters. Backup copies that editors leave of a file match as well.
 *
 * @param patterns Names, or several names joined with `/`; `*` stands for any characters of one name.
 * @throws {WorkflowError} `OPTION_INVALID` for a pattern with other wildcards.
 */
export function nameMatcher(patterns: readonly string[]): (names: readonly string[]) => boolean {
  const compiled = patterns.map((pattern) =>
    pattern.split('/').map((part) => {
      if (/^\.{0,2}$|\*\*|[\\?[\]{}!]/.test(part)) throw invalidPattern(pattern);
      // `u` also matches letters that only some file systems treat as equal
      return new RegExp(
        `^${plain(part)
          .replace(/[$()+.^|]/g, '\\$&')
          .replaceAll('*', '.*')}$`,
        'isu',
      );
    }),
  );
  const fits = (part: RegExp, forms: readonly string[] | undefined): boolean => forms?.some((name) => part.test(name)) ?? false;
  return (names) => {
    const forms = names.map(formsOf);
    return compiled.some((parts) => forms.some((_, start) => parts.every((part, index) => fits(part, forms[start + index]))));
  };
}

/** Normalises a name, so that names that some system treats as equal are equal. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC');

const copy =
  /(?:~|\.(?:bak|backup|old|orig|save|copy|tmp|sw[a-p]|dist|\d{1,3})|(?: - | )copy(?: ?\d{1,3})?| ?\((?:\d{1,3}|(?:another |\d{1,3}\w\w )?copy)\))$/i;

/** Returns the name, and the names of the files that it may be a copy of. */
function formsOf(name: string): readonly string[] {
  // Emacs's name for an auto-saved file
  const whole = plain(name).replace(/^#(.+)#$/, '$1');
  const forms = [whole];
  for (let form = whole; copy.test(form); ) {
    form = form.replace(copy, '');
    // some editors prefix a copy with a dot
    forms.push(form, form.replace(/^\./, ''));
  }
  return forms;
}

const invalidPattern = (pattern: string): WorkflowError =>
  optionInvalid(
    `The option denied of read_file has the invalid name "${pattern}".`,
    'Use names joined with "/". The only wildcard is "*".',
  );
