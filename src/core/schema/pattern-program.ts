import type { Pattern } from './pattern-syntax.ts';

type TestsCharacter = (character: string) => boolean;

/** A step: tests a character or a position, or continues in one or two ways. The last one is the match. */
type Step =
  | { readonly type: 'character'; readonly test: number }
  | { readonly type: 'place'; readonly at: '^' | '$' | '\\b' | '\\B' }
  | { readonly type: 'go'; to: readonly number[] }
  | { readonly type: 'match' };

/** Follows all paths through a pattern at once, one character at a time (Thompson, 1968), without backtracking. */
export class PatternProgram {
  readonly #steps: Step[] = [];
  readonly #tests: TestsCharacter[] = [];
  readonly #testOf = new Map<string, number>();

  /** @throws {SyntaxError} for a character class that JavaScript does not know. */
  constructor(pattern: Pattern) {
    this.#add(pattern);
    this.#steps.push({ type: 'match' });
  }

  /** True when it matches anywhere. */
  test(text: string): boolean {
    // Decision 142: JavaScript's engine takes exponential time on foreign patterns.
    const steps = this.#steps;
    const marks = new Uint32Array(steps.length);
    let mark = 0;
    let before: string | undefined;
    let here: number[] = [];
    /** Follows these steps to those that wait for a character; `undefined` if one of them is the match. */
    const reach = (from: readonly number[], next: string | undefined): number[] | undefined => {
      mark++;
      const reached: number[] = [];
      const open = [...from, 0];
      for (let step = open.pop(); step !== undefined; step = open.pop()) {
        if (marks[step] === mark) continue;
        marks[step] = mark;
        const now = steps[step] as Step;
        if (now.type === 'match') return undefined;
        if (now.type === 'character') reached.push(step);
        else if (now.type === 'go') open.push(...now.to);
        else if (isAt(now.at, before, next)) open.push(step + 1);
      }
      return reached;
    };
    for (const character of text) {
      const reached = reach(here, character);
      if (!reached) return true;
      const verdicts = new Map<number, boolean>();
      here = [];
      for (const step of reached) {
        const { test } = steps[step] as { readonly test: number };
        const verdict = verdicts.get(test) ?? this.#tests[test]?.(character) ?? false;
        verdicts.set(test, verdict);
        if (verdict) here.push(step + 1);
      }
      before = character;
    }
    return reach(here, undefined) === undefined;
  }

  #add(pattern: Pattern): void {
    const steps = this.#steps;
    if (pattern.type === 'character') steps.push({ type: 'character', test: this.#test(pattern.source) });
    else if (pattern.type === 'place') steps.push(pattern);
    else if (pattern.type === 'repeat') this.#addRepeated(pattern);
    else if (pattern.type === 'choice') this.#addChoice(pattern.of);
    else for (const one of pattern.of) this.#add(one);
  }

  #addRepeated({ of, min, max }: Pattern & { readonly type: 'repeat' }): void {
    for (let times = 0; times < min; times++) this.#add(of);
    if (max === Number.POSITIVE_INFINITY) this.#addLoop(of);
    else this.#addOptional(of, max - min);
  }

  #addChoice(choices: readonly Pattern[]): void {
    const fork = this.#fork();
    const starts: number[] = [];
    const ends: { to: readonly number[] }[] = [];
    for (const one of choices) {
      starts.push(this.#steps.length);
      this.#add(one);
      ends.push(this.#fork());
    }
    fork.to = starts;
    for (const end of ends) end.to = [this.#steps.length];
  }

  #addLoop(pattern: Pattern): void {
    const start = this.#steps.length;
    const fork = this.#fork();
    this.#add(pattern);
    this.#fork().to = [start];
    fork.to = [start + 1, this.#steps.length];
  }

  #addOptional(pattern: Pattern, times: number): void {
    const forks: { to: readonly number[] }[] = [];
    for (let time = 0; time < times; time++) {
      const fork = this.#fork();
      fork.to = [this.#steps.length];
      forks.push(fork);
      this.#add(pattern);
    }
    for (const fork of forks) fork.to = [...fork.to, this.#steps.length];
  }

  #fork(): { to: readonly number[] } {
    const fork: Step = { type: 'go', to: [] };
    this.#steps.push(fork);
    return fork;
  }

  #test(source: string): number {
    const known = this.#testOf.get(source) ?? this.#tests.push(testOf(source)) - 1;
    this.#testOf.set(source, known);
    return known;
  }
}

/** Number of steps of a pattern's program, with repetitions expanded. */
export function sizeOf(pattern: Pattern): number {
  if (pattern.type === 'character' || pattern.type === 'place') return 1;
  if (pattern.type === 'sequence') return pattern.of.reduce((sum, one) => sum + sizeOf(one), 0);
  if (pattern.type === 'choice') return pattern.of.reduce((sum, one) => sum + 1 + sizeOf(one), 1);
  const { of, min, max } = pattern;
  return max === Number.POSITIVE_INFINITY ? (min + 1) * sizeOf(of) + 2 : max * sizeOf(of) + max - min;
}

/** JavaScript's own engine decides about single characters, which takes constant time. */
function testOf(source: string): TestsCharacter {
  if (!/^[\\[.]/.test(source)) return (character) => character === source;
  const expression = asOneCharacter(source);
  return (character) => expression.test(character);
}

function asOneCharacter(source: string): RegExp {
  try {
    return new RegExp(`^${source}$`, 'u');
  } catch {
    // written for an engine that accepts `\_`, as JavaScript does without `u`
    const plain = source.replace(/\\([^\w\\\]^-]|_)/g, '$1');
    return new RegExp(`^${plain.length === 1 ? `\\u{${plain.codePointAt(0)?.toString(16)}}` : plain}$`, 'u');
  }
}

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character);

function isAt(at: '^' | '$' | '\\b' | '\\B', before: string | undefined, next: string | undefined): boolean {
  if (at === '^') return before === undefined;
  if (at === '$') return next === undefined;
  return (isWord(before) !== isWord(next)) === (at === '\\b');
}
