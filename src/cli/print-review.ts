import { styleText } from 'node:util';
import type { ContractReview, ReviewDeadline, ReviewFinding, ReviewPassage } from '../contracts/index.ts';
import { reviewWords } from '../contracts/review/review-words.ts';
import { breakAt, escapeControls, oneLine, pad, print, wrap } from './terminal.ts';
import { textColumns } from './text-columns.ts';

type Style = Parameters<typeof styleText>[0];
const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

/** Duties of a party that are printed; `--json` has all. */
const maxDuties = 12;

/** Prints a review as a readable report. */
export function printReview(review: ContractReview, by: string): void {
  const words = reviewWords[review.language];
  const columns = breakAt(process.stdout);
  const block = (text: string, indent: number, style?: Style): void => {
    for (const line of wrap(`${' '.repeat(indent)}${escapeControls(text.replace(/[\n\t]/g, ' '))}`, columns, indent))
      print(style === undefined ? line : paint(style, line));
  };
  const heading = (text: string, count?: number): void => print(`\n${paint('bold', count === undefined ? text : `${text} (${count})`)}`);
  print(paint('bold', oneLine(review.title)));
  block([review.typeTitle, ...(review.as === undefined ? [] : [words.reviewedFor(review.as)]), by].join(' · '), 0, 'dim');
  printBasics(review, block);
  heading(words.findings, review.findings.length);
  if (review.findings.length === 0) block(words.noFindings, 2);
  for (const finding of review.findings) printFinding(finding, review, block);
  const dated = review.deadlines.filter(({ date }) => date !== undefined);
  heading(words.dates, dated.length);
  for (const deadline of dated) printDeadline(deadline, review, block);
  const open = review.deadlines.filter(({ date }) => date === undefined);
  if (open.length > 0) heading(words.openDates, open.length);
  for (const { what, who, passage, rule } of open) {
    block(`– ${who === undefined ? '' : `${who}: `}${what}  [${passage.label}]`, 2);
    block(rule, 4, 'dim');
  }
  heading(words.money, review.money.length);
  const width = Math.max(0, ...review.money.map(({ text }) => textColumns(oneLine(text))));
  for (const { text, purpose, passage } of review.money) block(`${pad(oneLine(text), width)}  ${purpose}  [${passage.label}]`, 2);
  printDuties(review, { block, heading });
  heading(words.absent, review.absent.length);
  for (const { title } of review.absent) block(`– ${title}`, 2);
  printDifferences(review, { block, heading });
  print('');
  for (const note of review.notes) block(note, 0, 'dim');
}

type Block = (text: string, indent: number, style?: Style) => void;

interface Output {
  readonly block: Block;
  readonly heading: (text: string, count?: number) => void;
}

function printBasics({ parties, signed, effective, term, language }: ContractReview, block: Block): void {
  const words = reviewWords[language];
  const rows: readonly (readonly [string, string | undefined])[] = [
    [words.parties, parties.map(({ role, name }) => (name === undefined ? role : `${role} (${name})`)).join(', ')],
    [words.signed, signed],
    [words.effective, effective],
    [
      words.term,
      term.start === undefined && term.end === undefined
        ? undefined
        : `${term.start ?? '?'} – ${term.end ?? '?'}${term.rule === undefined ? '' : ` (${term.rule})`}`,
    ],
  ];
  const width = Math.max(...rows.map(([name]) => textColumns(name)));
  for (const [name, value] of rows) block(`${pad(name, width)}  ${value ?? words.notStated}`, 2);
}

function printFinding(
  { title, burdens, side, confidence, passage, reason, explanation, from }: ReviewFinding,
  { language }: ContractReview,
  block: Block,
): void {
  const words = reviewWords[language];
  const mark = side === 'against' ? '!' : side === 'for' ? '+' : '?';
  const whom = burdens === undefined ? words.notClear : burdens === 'both' ? words.both : words.burdens(burdens);
  const more = [
    passage.label,
    whom,
    ...(side === undefined || side === 'both' ? [] : [words[side]]),
    words[confidence],
    ...(from === 'model' ? [words.model] : []),
  ];
  block(`${mark} ${title} · ${more.join(' · ')}`, 2, side === 'against' ? 'red' : 'bold');
  block(`“${passage.text}”`, 4);
  block(reason, 4, 'dim');
  if (explanation !== undefined) block(`${words.model}: ${explanation}`, 4);
}

function printDeadline(
  { date = '', who, what, passage, rule, note }: ReviewDeadline,
  { language, today }: ContractReview,
  block: Block,
): void {
  const words = reviewWords[language];
  const past = today !== undefined && date < today ? ` (${words.past})` : '';
  block(`${date}${past}  ${who === undefined ? '' : `${who}: `}${what}  [${passage.label}]`, 2);
  block([rule, note].filter(Boolean).join(' '), 4, 'dim');
}

function printDuties({ duties, language }: ContractReview, { block, heading }: Output): void {
  const words = reviewWords[language];
  heading(words.duties);
  for (const { who, passages } of duties) {
    block(`${who === undefined ? words.notClear : who === 'both' ? words.both : who} (${passages.length})`, 2, 'bold');
    for (const passage of passages.slice(0, maxDuties)) block(`– ${short(passage)}  [${passage.label}]`, 4);
    if (passages.length > maxDuties) block(words.more(passages.length - maxDuties), 4, 'dim');
  }
}

const maxDutyChars = 160;
const short = ({ text }: ReviewPassage): string => (text.length <= maxDutyChars ? text : `${text.slice(0, maxDutyChars - 1).trimEnd()}…`);

function printDifferences({ differences, language }: ContractReview, { block, heading }: Output): void {
  if (differences === undefined) return;
  const words = reviewWords[language];
  heading(words.differences, differences.length);
  for (const { kind, article, what, standard, user } of differences) {
    if (kind === 'changed') block(`${article} · ${what}: ${standard || '–'} → ${user || '–'}`, 2);
    else block(`${article} · ${kind === 'missing' ? words.missing : words.added}`, 2);
  }
}
