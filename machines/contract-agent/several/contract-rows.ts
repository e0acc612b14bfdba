import { checkCitations } from 'agent-machines/contracts';
import type { SeveralContracts } from '../contract-library.ts';
import { answerFacts, factQuestion } from '../offline/answer-facts.ts';
import { labelsOfFacts, readFacts } from '../rule-inputs.ts';
import type { ArticleRef, ContractRow } from '../state.ts';
import { refOf } from '../tools/found-articles.ts';
import { answerByRule, type ContractMaterial, type ContractReply, nothingFound } from './answer-by-contract.ts';
import { answersAlone, bestSentence } from './best-sentence.ts';
import { judgeEach } from './judge-each.ts';

const maxPassages = 2;

interface ReadContracts {
  readonly materials: readonly ContractMaterial[];
  /** References by contract and label. */
  readonly refs: ReadonlyMap<string, ArticleRef>;
}

/** Judges each contract, and reads its best passages. */
export async function readEach(question: string, contracts: SeveralContracts, signal: AbortSignal): Promise<ReadContracts> {
  const refs = new Map<string, ArticleRef>();
  const materials: ContractMaterial[] = [];
  for (const { name, verdict, passages } of await judgeEach(question, contracts, signal)) {
    const { document } = (await contracts.open(name)).user;
    const read = passages.slice(0, maxPassages).map(({ article, text }) => {
      const ref = { ...refOf('user', document, article), contract: name };
      refs.set(`${name}\u0000${ref.label}`, ref);
      return { label: ref.label, text };
    });
    const facts = factQuestion(question) === undefined ? undefined : readFacts(document);
    const labels = facts === undefined ? {} : labelsOfFacts(document);
    const fact = facts && answerFacts(question, facts, (id) => labels[id] ?? id);
    const sentence = await bestSentence(question, read);
    materials.push({
      name,
      verdict,
      passages: read,
      ...(sentence === undefined ? {} : { sentence, isSettled: verdict === 'answer' && (await answersAlone(question, sentence.text)) }),
      ...(fact === undefined ? {} : { fact: factOf(fact) }),
    });
  }
  return { materials, refs };
}

/** Splits the answer to a question for parties, dates or amounts into its value, place and quote. */
function factOf(fact: string): { readonly value: string; readonly label: string; readonly quote: string } {
  const [list = '', ...places] = fact.split('\n\n');
  const value = list
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^- /u, ''))
    .join(', ');
  const [label = '', quote = ''] = places[0]?.split('\n> ') ?? [];
  return { value, label, quote };
}

/** A model's row counts only with a quote that stands in the contract's passages; otherwise it is unclear, and a no is nothing. */
export function checkedRow(
  question: string,
  material: ContractMaterial,
  reply: { readonly answer: ContractReply['answer']; readonly value: string; readonly quote: string } | undefined,
): ContractRow {
  const { name: contract, passages, sentence, fact } = material;
  if (reply === undefined) return { contract, ...answerByRule(question, material) };
  const { answer, value, quote } = reply;
  const places = [...passages, ...(fact ? [{ label: fact.label, text: fact.quote }] : [])];
  const place = quote.trim() === '' ? undefined : places.find(({ text }) => stands(quote, text));
  if (answer === 'not_found') return { contract, ...nothingFound };
  if (place) return { contract, answer, value: value.slice(0, maxValueChars), quote, label: place.label };
  const [nearest] = passages;
  if (answer === 'no' || !nearest) return { contract, ...nothingFound };
  return { contract, answer: 'unclear', value: '', quote: sentence?.text ?? nearest.text, label: sentence?.label ?? nearest.label };
}

const maxValueChars = 200;

/** True if a text has the words of a quote, one after the other. */
const stands = (quote: string, text: string): boolean => {
  const lines = quote.split('\n').filter((line) => line.trim() !== '');
  const quoted = lines.map((line) => `> ${line}`).join('\n');
  const citations = checkCitations(quoted, { documents: [], read: [{ id: '', label: '', title: '', text }] });
  const checked = citations.filter((citation) => citation.quote !== '');
  return checked.length > 0 && checked.every(({ status }) => status === 'supported');
};

/** Row of a contract whose model's reply is unreadable or missing. */
export const rowByRule = (question: string, material: ContractMaterial): ContractRow => ({
  contract: material.name,
  ...answerByRule(question, material),
});

/** Row of a contract without any passage. */
export const emptyRow = (contract: string): ContractRow => ({ contract, ...nothingFound });
