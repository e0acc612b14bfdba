import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isKorean } from '../../src/core/text/is-korean.ts';
import { printTable } from '../engine/table.ts';
import { type Configuration, evaluationConfigurations, type Measured, measureConfiguration } from './evaluate-configurations.ts';
import { meanMeasures } from './evaluate-measures.ts';
import { type Evaluation, loadEvaluation, type Question } from './evaluate-questions.ts';

const shipped = new URL('../../machines/contract-agent/examples/', import.meta.url);

const legend = `Each question is searched in its own document only, and all of its articles can be found.
recall@k   share of the question's relevant articles that are among the first k
hit@1      share of the questions whose first article is relevant (as recall@1, where a question has one relevant article)
nDCG@10    relevant articles among the first ten, counted less the later they come, of the most that is possible
index ms   making the index of all documents, parsing left out; p50 ms: one question, the middle one
baseline   Okapi BM25, k1 1.2, b 0.75, one field of title and text, all pairs of characters of the question as it is
default    what createArticleIndex does without options
across     a question in another language than its document; English and Korean: both are in that one`;

/** Prints how well each configuration finds what it should. Gives the exit code: 1 when something could not be used, which is said first. */
export async function evaluateRetrieval(args: readonly string[]): Promise<number> {
  let values: { docs?: string | undefined; queries?: string | undefined; json?: boolean | undefined };
  try {
    const options = { docs: { type: 'string' }, queries: { type: 'string' }, json: { type: 'boolean' } } as const;
    values = parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
  const docs = values.docs ?? fileURLToPath(shipped);
  const queries = values.queries ?? fileURLToPath(new URL('queries.jsonl', shipped));
  const evaluation = await loadEvaluation({ docs, queries });
  for (const problem of evaluation.problems) console.error(problem);
  if (evaluation.questions.length === 0) return 1;
  const measured = new Map<Configuration, Measured>();
  for (const configuration of evaluationConfigurations) {
    measured.set(configuration, await measureConfiguration(configuration, evaluation));
  }
  if (values.json) console.log(JSON.stringify(toJson(evaluation, measured), null, 2));
  else print(evaluation, measured);
  return evaluation.problems.length === 0 ? 0 : 1;
}

const digits = (value: number): string => value.toFixed(3);
const millis = (value: number): string => value.toFixed(value < 10 ? 2 : 0);

function print({ questions, documents, articles }: Evaluation, measured: ReadonlyMap<Configuration, Measured>): void {
  console.log(`${questions.length} questions about ${documents.length} documents with ${articles} articles\n\n${legend}`);
  printTable(
    'configurations',
    ['', 'recall@1', 'hit@1', 'recall@5', 'nDCG@10', 'index ms', 'p50 ms'],
    [...measured].map(([{ name }, { measures, indexMs, queryMs }]) => {
      const { recall1, hit1, recall5, ndcg10 } = meanMeasures(measures);
      return [name, ...[recall1, hit1, recall5, ndcg10].map(digits), millis(indexMs), millis(queryMs)];
    }),
  );
  const compared = [...measured].filter(([{ role }]) => role !== undefined);
  const head = ['', 'questions', ...compared.flatMap(([{ role }]) => [`${role} recall@1`, 'recall@5', 'nDCG@10'])];
  const rowOf = (name: string, isIn: (question: Question) => boolean): readonly string[] => {
    const cells = compared.flatMap(([, { measures }]) => {
      const { recall1, recall5, ndcg10 } = meanMeasures(measures.filter((_, i) => isInPlace(i, isIn)));
      return [recall1, recall5, ndcg10].map(digits);
    });
    return [name, String(questions.filter(isIn).length), ...cells];
  };
  const isInPlace = (i: number, isIn: (question: Question) => boolean): boolean => {
    const question = questions[i];
    return question !== undefined && isIn(question);
  };
  printTable(
    'by document',
    head,
    documents.map(({ name }) => rowOf(name, ({ document }) => document === name)),
  );
  const koreanDocuments = new Set(documents.filter(({ text }) => isKorean(text)).map(({ name }) => name));
  const languageOf = ({ query, document }: Question): string =>
    isKorean(query) !== koreanDocuments.has(document) ? 'across' : isKorean(query) ? 'Korean' : 'English';
  const languages = [...new Set(questions.map(languageOf))].sort();
  printTable(
    'by language',
    head,
    languages.map((language) => rowOf(language, (question) => languageOf(question) === language)),
  );
}

function toJson({ questions, documents, articles }: Evaluation, measured: ReadonlyMap<Configuration, Measured>): unknown {
  return {
    questions: questions.length,
    articles,
    configurations: [...measured].map(([{ name, role }, { measures, indexMs, queryMs }]) => ({
      name,
      ...(role ? { role } : {}),
      ...meanMeasures(measures),
      indexMs,
      queryMs,
      documents: documents.map((document) => ({
        name: document.name,
        ...meanMeasures(measures.filter((_, i) => questions[i]?.document === document.name)),
      })),
    })),
  };
}
