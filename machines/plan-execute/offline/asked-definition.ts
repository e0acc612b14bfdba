import type { Json } from 'agent-machines';

const askedBehind =
  /^["'”’]?(?:이란|란|이라는\s?(?:게|것이|건)|라는\s?(?:게|것이|건)|이|가|은|는)?\s{0,2}(?:정확히\s)?(?:뭔지|뭔가|뭐\S{0,3}|무엇\S{0,4}|어떤\s(?:것|거)\S{0,2}|무슨\s뜻\S{0,3})/u;
const askedBefore = /(?:\bwhat(?:['’]s|\s(?:is|are|does))|\bdefin(?:e|ition of)|\bmeaning of|\bexplain what)\s(?:an?\s|the\s)?["'“‘]?$/iu;

/** True when a question asks what a term is: `X가 뭔지`, `what is X`. */
function asksDefinition(question: string, term: string): boolean {
  const at = question.toLowerCase().indexOf(term.toLowerCase());
  if (term === '' || at < 0) return false;
  return askedBefore.test(question.slice(0, at)) || askedBehind.test(question.slice(at + term.length));
}

/** What `search_documents` returned: its query and the passages that it found. */
interface SearchOutput {
  readonly query?: string;
  readonly passages?: readonly { readonly heading?: string; readonly text?: string }[];
}

/**
 * Returns the term of a search whose definition a question asks for and no passage gives; else `undefined`. A passage defines a term by its
 * heading, or by a sentence such as `X is a …`.
 */
export function undefinedTerm(question: string, output: Json): string | undefined {
  const { query = '', passages = [] } = output as SearchOutput;
  const ordered = /^(?:define|definition of|meaning of)\s(?:an?\s|the\s)?(.+)$/iu.exec(query)?.[1];
  if (ordered === undefined && !asksDefinition(question, query)) return undefined;
  const term = ordered ?? query;
  const name = term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const heading = new RegExp(`(?:^|› )[^\\p{L}\\p{N}]{0,3}${name}[^\\p{L}\\p{N}]{0,3}s?(?:이란|란)?(?:$| ›)`, 'iu');
  const sentence = new RegExp(
    `(?:^|[\\n.!?|:*\`"“] ?|\\b(?:an?|the) )[^\\p{L}\\p{N}]{0,3}${name}[^\\p{L}\\p{N}]{0,3}(?:이란|란|은|는|\\s?(?:is|are|means|refers to)\\s(?:an?|the|what|how|one|made|that)\\b|\\s[|:—–-]\\s)`,
    'iu',
  );
  const isDefined = passages.some((passage) => heading.test(passage.heading ?? '') || sentence.test(passage.text ?? ''));
  return isDefined ? undefined : term;
}
