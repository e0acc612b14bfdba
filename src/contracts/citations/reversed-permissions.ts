import { contentWords } from '../../core/text/content-words.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import { splitSentences } from '../../core/text/sentences.ts';

/** A clause that permits something, or forbids it. */
interface Permission {
  readonly sentence: string;
  readonly isAllowed: boolean;
  readonly verb: string;
  /** The party, if the clause names one. */
  readonly subject: string;
  /** Tokens of the words behind an English verb, or in front of a Korean one. */
  readonly about: ReadonlySet<string>;
}

const korean =
  /(?<head>[^.!?\n]{0,120}?)(?<verb>[가-힣]{1,8}?)(?:(?<can>\s수(?:는|가|도)?\s(?<there>있|없))|(?<ban>지(?:는|도)?\s?못하|(?:여서는|해서는|아서는|어서는|서는)\s(?:아니\s?[되된됩]|안\s?[되된돼됩])))(?![가-힣]*\s?것은\s?아니)/gu;
const english =
  /(?:(?<subject>(?!You\b|We\b|They\b|It\b|He\b|She\b)[A-Z][a-z]+)\s)?\b(?:(?<no>(?:may|can|shall|must)\s(?:not|never)|cannot|can['’]t|mustn['’]t|(?:is|are)\s(?:not|never)\s(?:allowed|permitted|entitled)\sto|(?:is|are)n['’]t\s(?:allowed|permitted|entitled)\sto|(?:is|are)\s(?:forbidden|prohibited)\s(?:to|from))|(?<yes>may|can|(?:is|are)\s(?:allowed|permitted|entitled|free)\sto))\s(?<verb>[a-z]{3,20})\b(?=(?<tail>[^.:;!?\n]{0,120}))/gu;
/** Words with which the opposite of a rule may be right: `with consent`, `다만`. */
const conditional =
  /\b(?:with|without|unless|except|if|only|provided|subject|before|after|until|during|otherwise)\b|동의|승낙|승인|허락|협의|합의|경우|다만|예외|[으]?면|없이|전에|후에|이외|외에|만(?:\s|이)|중에/iu;
const minShared = 0.6;

/**
 * Returns the clauses of an answer that permit what a source forbids, or the reverse, with the same verb and about the same thing. A clause
 * with a condition of its own is not compared.
 */
export function reversedPermissions(answer: string, sources: readonly string[]): readonly string[] {
  const known = sources.flatMap(permissionsIn);
  return permissionsIn(answer)
    .filter((said) => {
      if (conditional.test(said.sentence)) return false;
      const same = known.filter((rule) => rule.verb === said.verb && isAbout(said, rule));
      return same.length > 0 && same.every(({ isAllowed }) => isAllowed !== said.isAllowed);
    })
    .map(({ sentence }) => sentence.replace(/\s+/gu, ' '));
}

function isAbout({ about, subject }: Permission, rule: Permission): boolean {
  if (subject !== '' && !rule.sentence.toLowerCase().includes(subject.toLowerCase())) return false;
  const shared = [...about].filter((token) => rule.about.has(token)).length;
  return about.size === 0 ? rule.subject !== '' || subject !== '' : shared / about.size >= minShared;
}

function permissionsIn(text: string): readonly Permission[] {
  return splitSentences(text.normalize('NFKC')).flatMap((sentence) => [...koreanIn(sentence), ...englishIn(sentence)]);
}

function* koreanIn(sentence: string): Generator<Permission> {
  for (const { groups = {} } of sentence.matchAll(korean)) {
    const [, subject = '', object = groups.head ?? ''] = /^(?:.*?\s)?([가-힣]{1,10})(?:은|는|이|가)\s(.*)$/u.exec(groups.head ?? '') ?? [];
    const about = new Set(searchTokens(contentWords(object)));
    yield { sentence: sentence.trim(), isAllowed: groups.there === '있', verb: koreanStem(groups.verb ?? ''), subject, about };
  }
}

/** Vowels that a verb has in front of 서: 태워 of 태우다, 옮겨 of 옮기다, 봐 of 보다. */
const contracted: Readonly<Record<number, number>> = { 14: 13, 6: 20, 9: 8 };

/** `옮길`, `옮기` and `옮겨` are one verb, and so are `변경할` and `변경하`. */
function koreanStem(verb: string): string {
  if (verb.endsWith('을')) return verb.slice(0, -1);
  const code = verb.charCodeAt(verb.length - 1) - 0xac00;
  const [vowel, final] = [Math.floor(code / 28) % 21, code % 28];
  const open = final === 8 ? code - 8 : final === 0 ? code + ((contracted[vowel] ?? vowel) - vowel) * 28 : code;
  return (verb.slice(0, -1) + String.fromCharCode(0xac00 + open)).replace(/하$/u, '');
}

function* englishIn(sentence: string): Generator<Permission> {
  for (const { groups = {} } of sentence.matchAll(english)) {
    const { subject = '', verb = '', tail = '', yes } = groups;
    const about = new Set(searchTokens(contentWords(tail)));
    yield { sentence: sentence.trim(), isAllowed: yes !== undefined, verb: searchTokens(verb)[0] ?? '', subject, about };
  }
}
