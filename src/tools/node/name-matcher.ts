import { WorkflowError } from '../../errors.ts';

/**
 * Makes a test whether a part of a path, at any depth, fits one of the patterns. Names count as the same when some file system holds them
 * for the same: in any letter case and Unicode form, with letters that are not seen; and so does a copy that an editor has left of a file.
 *
 * @param patterns each is a name or several joined with `/`; `*` stands for any characters of one name.
 * @throws {WorkflowError} `OPTION_INVALID` for a pattern with other wildcards.
 */
export function nameMatcher(patterns: readonly string[]): (names: readonly string[]) => boolean {
  const compiled = patterns.map((pattern) =>
    pattern.split('/').map((part) => {
      if (/^\.{0,2}$|\*\*|[\\?[\]{}!]/.test(part)) throw invalidPattern(pattern);
      // with `u`, letters that only some file systems hold for the same are the same too
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

/** One spelling of what some system reads as the same name. */
const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC');

const copy =
  /(?:~|\.(?:bak|backup|old|orig|save|copy|tmp|sw[a-p]|dist|\d{1,3})|(?: - | )copy(?: ?\d{1,3})?| ?\((?:\d{1,3}|(?:another |\d{1,3}\w\w )?copy)\))$/i;

/** The name itself, and the names of the files that it may be a copy of. */
function formsOf(name: string): readonly string[] {
  // as Emacs saves what has not been saved
  const whole = plain(name).replace(/^#(.+)#$/, '$1');
  const forms = [whole];
  for (let form = whole; copy.test(form); ) {
    form = form.replace(copy, '');
    // an editor puts a dot in front of a name
    forms.push(form, form.replace(/^\./, ''));
  }
  return forms;
}

const invalidPattern = (pattern: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `read_file cannot be made: denied has "${pattern}".`,
    hint: 'Use names joined with "/", in which "*" is the only wildcard.',
  });
