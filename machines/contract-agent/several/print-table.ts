import type { ContractRow } from '../state.ts';
import type { AnswerOfContract } from './answer-by-contract.ts';

/** Maximum number of rows in an answer's text. The output has all. */
const maxRows = 30;
const maxQuoteChars = 240;

const words: Readonly<Record<AnswerOfContract, readonly [english: string, korean: string]>> = {
  yes: ['yes', '예'],
  no: ['no', '아니요'],
  stated: ['stated', '있음'],
  unclear: ['unclear', '불분명'],
  not_found: ['not found', '찾지 못함'],
};
const order: readonly AnswerOfContract[] = ['yes', 'stated', 'no', 'unclear', 'not_found'];

/** Prints the answers of several contracts as a Markdown table: contract, answer, passage. What was not found comes last. */
export function printTable(rows: readonly ContractRow[], korean: boolean): string {
  const language = korean ? 1 : 0;
  const counts = order.flatMap((answer) => {
    const count = rows.filter((row) => row.answer === answer).length;
    return count === 0 ? [] : [`${words[answer][language]} ${count}`];
  });
  const sorted = order.flatMap((answer) => rows.filter((row) => row.answer === answer));
  const shown = sorted.slice(0, maxRows);
  const cells = shown.map(({ contract, answer, value, label, quote }) => [
    contract,
    answer === 'stated' && value !== '' ? value : `${words[answer][language]}${value === '' ? '' : ` (${value})`}`,
    quote === '' ? '' : `${label === '' ? '' : `${label}: `}${quoted(quote)}`,
  ]);
  const table = markdownTable([korean ? ['계약', '답', '근거'] : ['contract', 'answer', 'passage'], ...cells]);
  const more =
    shown.length === rows.length
      ? []
      : [
          korean
            ? `${rows.length}개 가운데 ${shown.length}개를 보였습니다. 전체는 출력의 table에 있습니다.`
            : `${shown.length} of ${rows.length} rows are shown. The output has all in \`table\`.`,
        ];
  const unclear = rows.some(({ answer }) => answer === 'unclear')
    ? [
        korean
          ? `“${words.unclear[1]}”: 가까운 내용이며, 찾으시는 내용이 아닐 수 있습니다.`
          : `“${words.unclear[0]}”: a passage is near, which may not be it.`,
      ]
    : [];
  const summary = korean ? `계약 ${rows.length}개: ${counts.join(', ')}.` : `${rows.length} contracts: ${counts.join(', ')}.`;
  return [summary, table, ...unclear, ...more].join('\n\n');
}

/** Returns one line of at most 240 characters, word for word, in quotation marks that do not end inside the quote. */
function quoted(quote: string): string {
  const line = quote.replace(/\s+/gu, ' ').trim();
  const short = line.length > maxQuoteChars ? `${line.slice(0, maxQuoteChars - 1).trimEnd()}…` : line;
  const [open, close] = marks.find(([, mark]) => !short.includes(mark)) ?? marks[0];
  return short.includes(close) ? `${open}${short.slice(0, short.indexOf(close)).trimEnd()}…${close}` : `${open}${short}${close}`;
}
const marks = [
  ['“', '”'],
  ['"', '"'],
  ['『', '』'],
] as const;

const wide = /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}]/gu;
/** Columns on a terminal: a Hangul syllable takes two. */
const columns = (text: string): number => text.length + (text.match(wide)?.length ?? 0);
const maxPadded = 40;

/** Prints rows as a Markdown table, whose first columns are aligned on a terminal. */
function markdownTable(rows: readonly (readonly string[])[]): string {
  const plain = rows.map((row) => row.map((cell) => cell.replace(/\s+/gu, ' ').replaceAll('|', '\\|')));
  const last = (plain[0]?.length ?? 1) - 1;
  const widths = Array.from({ length: last }, (_, at) => Math.min(maxPadded, Math.max(...plain.map((row) => columns(row[at] ?? '')))));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => (at === last ? cell : cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - columns(cell))))).join(' | ')} |`;
  const [head = [], ...body] = plain;
  return [line(head), `|${[...widths.map((width) => '-'.repeat(width + 2)), '---'].join('|')}|`, ...body.map(line)].join('\n');
}
