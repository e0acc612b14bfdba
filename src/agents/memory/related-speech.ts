import table from './related-speech.json' with { type: 'json' };
import { speechTokens } from './speech-tokens.ts';

/** A group of related everyday words, each as its tokens. A row of the table is one group: its English words and its Korean ones. */
interface Group {
  readonly members: readonly (readonly string[])[];
}

let groups: ReadonlyMap<string, readonly Group[]> | undefined;

/** Indexes groups by the first token of each member. Built on the first question, because it splits every word of the table into tokens. */
function groupsByToken(): ReadonlyMap<string, readonly Group[]> {
  const found = new Map<string, Group[]>();
  for (const row of table) {
    const group: Group = { members: row.flatMap((words) => words.split(' ').map((word) => speechTokens(word))) };
    for (const [first = ''] of group.members) found.set(first, [...(found.get(first) ?? []), group]);
  }
  return found;
}

/** Returns the tokens of related words that are not among the given ones. */
export function relatedTokens(tokens: readonly string[]): ReadonlySet<string> {
  groups ??= groupsByToken();
  const asked = new Set(tokens);
  const related = new Set<string>();
  for (const token of asked) {
    for (const { members } of groups.get(token) ?? []) {
      if (!members.some((member) => member[0] === token && member.every((one) => asked.has(one)))) continue;
      for (const member of members) for (const one of member) if (!asked.has(one)) related.add(one);
    }
  }
  return related;
}
