import { mapJsonText } from '../core/util/map-json-text.ts';

/** Puts values back in place of their names, in a text or in a stream. */
export class MaskRestorer {
  readonly #values: ReadonlyMap<string, string>;
  readonly #pattern: RegExp | undefined;
  readonly #isJson: boolean;

  /** @param isJson The reply is JSON text, so a value in it is escaped. */
  constructor(values: ReadonlyMap<string, string>, isJson: boolean) {
    this.#values = values;
    this.#isJson = isJson;
    // the longest first, so that no name hides a longer one
    const names = [...values.keys()].sort((a, b) => b.length - a.length).map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
    this.#pattern = names.length === 0 ? undefined : new RegExp(names.join('|'), 'g');
  }

  restore(text: string): string {
    if (!this.#pattern) return text;
    return this.#isJson ? this.restoreJson(text) : this.#replace(text, false);
  }

  /** Restores the strings of JSON text, so that a name may be written with escapes. */
  restoreJson(text: string): string {
    if (!this.#pattern) return text;
    return mapJsonText(text, (part) => this.#replace(part, false)) ?? this.#replace(text, true);
  }

  /** Returns a function for pieces of a text. It holds back what may be the beginning of a name; `undefined` ends the text. */
  stream(): (piece: string | undefined) => string {
    const pattern = this.#pattern;
    if (!pattern) return (piece = '') => piece;
    const names = [...this.#values.keys()];
    const longest = Math.max(...names.map(({ length }) => length));
    let held = '';
    return (piece) => {
      held += piece ?? '';
      let from = piece === undefined ? held.length : Math.max(0, held.length - longest + 1);
      while (from < held.length && !names.some((name) => name.startsWith(held.slice(from)))) from++;
      for (const { index, 0: name } of held.matchAll(pattern)) if (index < from && index + name.length > from) from = index + name.length;
      const decided = this.#replace(held.slice(0, from), this.#isJson);
      held = held.slice(from);
      return decided;
    };
  }

  #replace(text: string, isEscaped: boolean): string {
    if (!this.#pattern) return text;
    return text.replace(this.#pattern, (name) => {
      const value = this.#values.get(name) ?? name;
      return isEscaped ? JSON.stringify(value).slice(1, -1) : value;
    });
  }
}
