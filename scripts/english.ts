// Counts two habits that make comments hard to read, in `src` and `machines`: `npm run english` prints both figures and the lines.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { sourceFiles } from './rooms.ts';

/** Maximum of both figures: see "Plain English" in `CONTRIBUTING.md`. */
const limits = { openingPercent: 5, pronounsPer10000: 3 } as const;

interface EnglishFigures {
  /** True when both figures are within their maximum. */
  readonly isPlain: boolean;
  /** Share of doc comments that open with a relative clause. */
  readonly openingPercent: number;
  /** Pronoun subjects per 10,000 words of comments. */
  readonly pronounsPer10000: number;
  /** `place: first line` of each comment that counts. */
  readonly lines: readonly string[];
}

const clause = /^(?:in which|so many|that|those|told|said|of|how|what|when|where|whether|which|who|whose|whoever|why)\b/i;
const pronoun = /\b(?:nobody|somebody|whoever|who (?:asks|comes|has|looks|reads|waits))\b/gi;
/** A string or a template is matched first, so that a comment in it does not count. */
const stringOrComment = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*(?<block>[\s\S]*?)\*\/|\/\/(?<line>.*)/g;

/** Counts the comments of texts, each under the name of its file. */
export function englishFigures(texts: ReadonlyMap<string, string>): EnglishFigures {
  const lines: string[] = [];
  let [docs, openings, words, pronouns] = [0, 0, 0, 0];
  for (const [file, text] of texts) {
    for (const { index, groups } of text.matchAll(stringOrComment)) {
      const body = (groups?.block ?? groups?.line ?? '').replace(/^\s*\*+ ?/gm, '').trim();
      if (body === '') continue;
      const isDoc = groups?.block?.startsWith('*') === true;
      const opens = isDoc && clause.test(body);
      const subjects = body.match(pronoun)?.length ?? 0;
      docs += Number(isDoc);
      openings += Number(opens);
      words += body.split(/\s+/).length;
      pronouns += subjects;
      if (opens || subjects > 0) lines.push(`${file}:${text.slice(0, index).split('\n').length}: ${body.split('\n')[0]}`);
    }
  }
  const openingPercent = (100 * openings) / Math.max(1, docs);
  const pronounsPer10000 = (10_000 * pronouns) / Math.max(1, words);
  const isPlain = openingPercent <= limits.openingPercent && pronounsPer10000 <= limits.pronounsPer10000;
  return { isPlain, openingPercent, pronounsPer10000, lines };
}

/** Returns the texts of `src` and `machines` by their paths. */
export const englishSources = (): ReadonlyMap<string, string> =>
  new Map([...sourceFiles('src'), ...sourceFiles('machines')].map((file) => [file, readFileSync(file, 'utf8')]));

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const figures = englishFigures(englishSources());
  console.log(`doc comments that open with a relative clause: ${figures.openingPercent.toFixed(1)} % (at most ${limits.openingPercent})`);
  console.log(`pronoun subjects in 10,000 words of comments: ${figures.pronounsPer10000.toFixed(1)} (at most ${limits.pronounsPer10000})`);
  for (const line of figures.lines) console.log(line);
  if (!figures.isPlain) process.exitCode = 1;
}
