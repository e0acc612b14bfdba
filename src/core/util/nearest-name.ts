/** The nearest name, or `undefined` if more than a third of the letters differ from every name. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, edits: editsBetween(normalize(typed), normalize(name)) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.edits - b.edits);
  return best?.name;
}

/** Beginning of a hint for a misspelt name: `Did you mean "x"? `; empty if no name is near. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const meant = nearestName(typed, names);
  return meant === undefined ? '' : `Did you mean "${meant}"? `;
}

/**
 * Returns at most `count` names whose words are near to the words of `typed`, nearest first: on average, at most half of a word's letters
 * differ. Words are parted by `_`, `-` and spaces.
 */
export function nearestByWords(typed: string, names: readonly string[], count: number): readonly string[] {
  const wanted = wordsOf(typed);
  return names
    .map((name) => ({ name, distance: distanceOfWords(wanted, wordsOf(name)), edits: editsBetween(normalize(typed), normalize(name)) }))
    .filter(({ distance }) => distance <= 0.5)
    .sort((a, b) => a.distance - b.distance || a.edits - b.edits)
    .slice(0, count)
    .map(({ name }) => name);
}

const wordsOf = (name: string): readonly string[] =>
  name
    .slice(0, 100)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map(normalize);

function distanceOfWords(wanted: readonly string[], words: readonly string[]): number {
  const shares = wanted.map((word) =>
    Math.min(1, ...words.map((other) => editsBetween(word, other) / Math.max(word.length, other.length))),
  );
  return shares.length === 0 ? 1 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** Longer names are not typing errors. */
const normalize = (name: string): string =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Number of letters to add, remove, change or swap with a neighbour. */
function editsBetween(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last[to.length] ?? 0;
}
