import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shorten } from '../core/errors/shorten.ts';
import { nearestByWords, nearestName } from '../core/util/nearest-name.ts';
import { readOwnManifest } from './own-manifest.ts';
import { breakAt, paint, print, printableJson, wrap } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Explanation of a code from the documentation. */
interface Explanation {
  readonly code: string;
  /** Cause of the error. */
  readonly means: string;
  /** Advice, or the reason why it matters. */
  readonly advice: string;
  /** Page of the documentation. */
  readonly page: string;
}

const pages = ['errors', 'lint'] as const;

/** Returns the address of a page: below the package's address, or in the package while no address is set. */
export function pageAddress(page: (typeof pages)[number], repository = readOwnManifest().repository): string {
  if (repository === '') return fileURLToPath(new URL(`../../docs/reference/${page}.md`, import.meta.url));
  return `${repository.replace(/^git\+|\.git$/g, '')}/blob/main/docs/reference/${page}.md`;
}

/** Reads all codes from the documentation pages, which are part of the package. */
export const readExplanations = (): readonly Explanation[] =>
  pages.flatMap((page) => {
    const text = readFileSync(new URL(`../../docs/reference/${page}.md`, import.meta.url), 'utf8');
    const address = pageAddress(page);
    return [...text.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| (.*) \|$/gm)].flatMap(([, codes = '', cells = '']) => {
      const [means = '', advice = ''] = cells.split(/(?<!\\)\|/).map(toPlainText);
      return codes.split(', ').map((quoted) => {
        const code = quoted.slice(1, -1);
        return { code, means, advice, page: address };
      });
    });
  });

/** Prints the meaning of codes and the advice. @throws {UsageError} for an unknown code; nothing is printed then. */
export function explain(codes: readonly string[], json: boolean): void {
  const known = readExplanations();
  const found = codes.map((typed) => known.find(({ code }) => code === typed.toUpperCase()) ?? throwUnknownCode(typed, known));
  if (json) {
    for (const explanation of found) print(printableJson(explanation));
    return;
  }
  const columns = breakAt(process.stdout);
  for (const [index, { code, means, advice, page }] of found.entries()) {
    const lines = [paint('bold', code), ...wrap(`  ${means}`, columns, 2), ...(advice === '' ? [] : wrap(`  → ${advice}`, columns, 4))];
    print([...(index === 0 ? [] : ['']), ...lines, paint('dim', `  ${page}`)].join('\n'));
  }
}

function throwUnknownCode(typed: string, known: readonly Explanation[]): never {
  const names = known.map(({ code }) => code);
  const nearest = nearestName(typed, names);
  const near = nearest === undefined ? nearestByWords(typed, names, 5) : [nearest];
  const advice = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
  throw new UsageError(
    `There is no code "${shorten(typed, 100)}".${advice} All codes: ${pages.map((page) => pageAddress(page)).join(' and ')}.`,
  );
}

const toPlainText = (cell: string): string =>
  cell
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('\\|', '|')
    .replaceAll(/`|\*\*/g, '')
    .trim();
