import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { ContractDocument } from '../../src/contracts/contract-document.ts';
import { loadContract } from '../../src/contracts/node/load-contract.ts';
import { type AnswerFinder, type ContractVerdict, createAnswerFinder, type FoundAnswer } from '../../src/contracts/search/answer-finder.ts';
import { isKorean } from '../../src/core/text/is-korean.ts';
import { median } from '../engine/statistics.ts';
import { printTable } from '../engine/table.ts';

const row = z.object({
  document: z.string(),
  topic: z.string().optional(),
  query: z.string(),
  evidence: z.array(z.string()),
  /** The half of a set in everyday words: `a` may be looked at, `b` chooses nothing. */
  half: z.enum(['a', 'b']).optional(),
});
type Row = z.infer<typeof row>;

interface Asked {
  readonly row: Row;
  readonly document: ContractDocument;
  readonly found: FoundAnswer;
  /** Without the table of topics. */
  readonly byWords: FoundAnswer;
  readonly ms: number;
}

const legend = `absent     the contract has no evidence for the question; answered, nearest and silent are shares of these
present    it has; 1st, 2, 3 = the first passage that is shown has evidence, one of the first two, one of all three; silent ones count as wrong
topics     the question asks for a topic of the table; other = it asks for none
no table   every question, judged by its words alone: what is to be expected of topics that the table has not
everyday   questions in the words of tenants, employees and customers, by an author who had not seen the tables; half a was looked at
           when the words of everyday-words.json were chosen, half b (other contracts) chose nothing`;

export const silenceUsage = 'npm run eval -- silence [--data FOLDER] [--by topic|document] [--json] [--verbose]';

/** Prints how often contracts are said to answer, to have something near, and to be silent. Gives the exit code. */
export async function evaluateSilence(args: readonly string[]): Promise<number> {
  let values: { data?: string | undefined; by?: string | undefined; json?: boolean | undefined; verbose?: boolean | undefined };
  try {
    const options = { data: { type: 'string' }, by: { type: 'string' }, json: { type: 'boolean' }, verbose: { type: 'boolean' } } as const;
    values = parseArgs({ args: [...args], options, allowPositionals: false }).values;
    if (values.by !== undefined && values.by !== 'topic' && values.by !== 'document') throw new Error(`usage: ${silenceUsage}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
  let asked: readonly Asked[];
  try {
    asked = values.data === undefined ? await askAll(ownSets) : await askAll([values.data]);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
  const groups = groupsOf(asked, values.by);
  if (values.json) {
    console.log(JSON.stringify(Object.fromEntries(groups.map(([name, each]) => [name, each])), null, 2));
    return 0;
  }
  const documents = new Set(asked.map(({ document }) => document.name)).size;
  console.log(`${asked.length} questions about ${documents} contracts\n\n${legend}`);
  const head = ['', 'absent', 'answered', 'nearest', 'silent', 'present', 'answered', 'nearest', 'silent', '1st', '2', '3'];
  printTable(
    'verdicts, in percent',
    head,
    groups.map(([name, counts]) => [name, ...cellsOf(counts)]),
  );
  console.log(`\none question: ${median(asked.map(({ ms }) => ms)).toFixed(1)} ms, the middle one`);
  if (values.verbose) for (const each of asked) printAsked(each);
  return 0;
}

/** Each has its questions in `questions.jsonl`. They may be about contracts of the other. */
const ownSets = ['silence/', 'everyday/'].map((name) => fileURLToPath(new URL(name, import.meta.url)));

async function askAll(folders: readonly string[]): Promise<readonly Asked[]> {
  const rows: Row[] = [];
  const paths = new Map<string, string>();
  for (const folder of folders) {
    const lines = (await readFile(join(folder, 'questions.jsonl'), 'utf8')).split(/\r?\n/).filter((line) => line.trim() !== '');
    rows.push(...lines.map((line) => row.parse(JSON.parse(line))));
    for (const path of await readdir(folder, { recursive: true })) {
      paths.set((path.split(/[\\/]/).at(-1) ?? path).normalize(), join(folder, path));
    }
  }
  const opened = new Map<string, Promise<{ document: ContractDocument; finder: AnswerFinder; byWords: AnswerFinder }>>();
  const open = (name: string) => {
    const known = opened.get(name);
    if (known) return known;
    const opening = openContract(paths.get(name.normalize()) ?? name);
    opened.set(name, opening);
    return opening;
  };
  const asked: Asked[] = [];
  for (const row of rows) {
    const { document, finder, byWords } = await open(row.document);
    const begun = performance.now();
    const found = finder.find(row.query);
    asked.push({ row, document, found, byWords: byWords.find(row.query), ms: performance.now() - begun });
  }
  return asked;
}

async function openContract(path: string) {
  const document = await loadContract(path);
  return { document, finder: await createAnswerFinder(document), byWords: await createAnswerFinder(document, { topics: [] }) };
}

const languages = [
  ['English', false],
  ['Korean', true],
] as const;

type Verdicts = Record<ContractVerdict, number> & { questions: number };
interface Counts {
  readonly absent: Verdicts;
  /** `right[n]`: one of the first n + 1 passages has evidence. */
  readonly present: Verdicts & { right: [number, number, number] };
}

function groupsOf(asked: readonly Asked[], by: string | undefined): readonly (readonly [name: string, counts: Counts])[] {
  if (by !== undefined) {
    const nameOf = ({ row }: Asked): string => (by === 'topic' ? (row.topic ?? '') : row.document);
    return [...new Set(asked.map(nameOf))].map((name) => [
      name,
      countsOf(
        asked.filter((each) => nameOf(each) === name),
        'found',
      ),
    ]);
  }
  const isAcross = ({ row, document }: Asked): boolean => isKorean(row.query) !== isKorean(document.text);
  const isTopic = ({ found }: Asked): boolean => found.topics.length > 0;
  const groups: (readonly [string, readonly Asked[], 'found' | 'byWords'])[] = [];
  const known = asked.filter(({ row }) => row.half === undefined);
  for (const [language, korean] of languages) {
    const own = known.filter((each) => isKorean(each.row.query) === korean && !isAcross(each));
    groups.push(
      [`${language}, topics`, own.filter(isTopic), 'found'],
      [`${language}, other`, own.filter((each) => !isTopic(each)), 'found'],
    );
    groups.push([`${language}, all`, own, 'found'], [`${language}, no table`, own, 'byWords']);
  }
  groups.push(['across languages', known.filter(isAcross), 'found']);
  for (const half of ['a', 'b'] as const) {
    for (const [language, korean] of languages) {
      groups.push([
        `everyday ${half}, ${language}`,
        asked.filter(({ row }) => row.half === half && isKorean(row.query) === korean),
        'found',
      ]);
    }
  }
  return groups.filter(([, each]) => each.length > 0).map(([name, each, key]) => [name, countsOf(each, key)]);
}

function countsOf(asked: readonly Asked[], key: 'found' | 'byWords'): Counts {
  const none = { questions: 0, answer: 0, nearest: 0, silent: 0 };
  const counts = { absent: { ...none }, present: { ...none, right: [0, 0, 0] as [number, number, number] } };
  for (const each of asked) {
    const { row, [key]: found } = each;
    const group = row.evidence.length === 0 ? counts.absent : counts.present;
    group.questions += 1;
    group[found.verdict] += 1;
    const place = row.evidence.length === 0 ? -1 : found.passages.findIndex(({ text }) => hasEvidence(text, row.evidence));
    for (let n = place; n >= 0 && n < counts.present.right.length; n++) counts.present.right[n] = (counts.present.right[n] ?? 0) + 1;
  }
  return counts;
}

const squeeze = (text: string): string => text.replace(/\s+/g, '').toLowerCase();
const sameChars = 60;

/** Evidence and passage overlap, however their lines are broken. */
function hasEvidence(passage: string, evidence: readonly string[]): boolean {
  const shown = squeeze(passage);
  return evidence
    .flatMap((text) => text.split('<omitted>'))
    .map(squeeze)
    .some((wanted) => wanted !== '' && (shown.includes(wanted.slice(0, sameChars)) || wanted.includes(shown.slice(0, sameChars))));
}

function cellsOf({ absent, present }: Counts): readonly string[] {
  const percent = (part: number, whole: number): string => (whole === 0 ? '–' : ((100 * part) / whole).toFixed(1));
  const verdicts = (group: Verdicts): readonly string[] => [
    String(group.questions),
    ...([group.answer, group.nearest, group.silent] as const).map((part) => percent(part, group.questions)),
  ];
  return [...verdicts(absent), ...verdicts(present), ...present.right.map((right) => percent(right, present.questions))];
}

function printAsked({ row, found }: Asked): void {
  const shown = found.passages[0]?.text.slice(0, 80).replace(/\s+/g, ' ') ?? '';
  const wanted = row.evidence.length === 0 ? 'absent ' : 'present';
  console.log(`${wanted} ${found.verdict.padEnd(8)}${row.document}\t${row.query}\t[${found.topics.join(', ')}]\t${shown}`);
}
