import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseContract, type ReviewFinding, reviewContract } from 'agent-machines/contracts';
import { printTable } from '../engine/table.ts';

export const reviewUsage = 'npm run eval -- review [--set development|unseen] [--failures] [--json]';

const legend = `Clauses, deadlines and small contracts in Korean and English, reviewed by the rules. All were written before the rules.
The rules were changed while looking at the set development only; unseen chose nothing.
found     one-sided clauses reported with their kind            burden    of these, the burdened party is right
missed    one-sided clauses that are not reported               alarms    harmless look-alikes reported with the kind they resemble
any       harmless look-alikes reported with any kind`;

const sets = ['development', 'unseen'] as const;
type SetName = (typeof sets)[number];

interface Clause {
  readonly language: 'en' | 'ko';
  readonly kind: string;
  readonly oneSided: boolean;
  readonly burdens?: string;
  readonly parties: readonly [string, string];
  readonly text: string;
}

interface Deadline {
  readonly language: 'en' | 'ko';
  readonly text: string;
  readonly date: string | null;
  readonly signed?: string;
  readonly effective?: string;
  readonly start?: string;
  readonly end?: string;
}

interface SmallContract {
  readonly type: string;
  readonly absent: readonly string[];
  readonly text: string;
}

interface Failure {
  readonly set: SetName;
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  readonly text: string;
}

/** Prints what the rules of a review find and miss. Gives the exit code. */
export async function evaluateReview(args: readonly string[]): Promise<number> {
  let values: { set?: string | undefined; failures?: boolean | undefined; json?: boolean | undefined };
  try {
    const options = { set: { type: 'string' }, failures: { type: 'boolean' }, json: { type: 'boolean' } } as const;
    values = parseArgs({ args: [...args], options, allowPositionals: false }).values;
    if (values.set !== undefined && !sets.some((set) => set === values.set)) throw new Error(`--set is ${sets.join(' or ')}.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 2;
  }
  const chosen = sets.filter((set) => set === (values.set ?? set));
  const measured = chosen.map((set) => measure(set));
  if (values.json) {
    console.log(JSON.stringify(measured, null, 1));
    return 0;
  }
  console.log(legend);
  printTable(
    'clauses',
    ['', 'one-sided', 'found', 'burden', 'missed', 'harmless', 'alarms', 'any'],
    measured.flatMap(({ clauses }) => clauses),
  );
  printTable(
    'deadlines and checklists',
    ['', 'deadlines', 'right', 'guessed dates', 'contracts', 'points', 'absent found', 'false'],
    measured.map(({ others }) => others),
  );
  if (values.failures) for (const failure of measured.flatMap(({ failures }) => failures)) console.log(JSON.stringify(failure));
  return 0;
}

function measure(set: SetName) {
  const failures: Failure[] = [];
  const clauses = (['ko', 'en'] as const).map((language) => [
    `${set}, ${language}`,
    ...measureClauses(set, language, failures).map(String),
  ]);
  const others = [set, ...measureDeadlines(set, failures).map(String), ...measureChecklists(set, failures).map(String)];
  return { set, clauses, others, failures };
}

const read = <T>(file: string): readonly T[] =>
  readFileSync(new URL(`${file}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line): T => JSON.parse(line));

function measureClauses(set: SetName, language: 'en' | 'ko', failures: Failure[]): readonly number[] {
  const clauses = read<Clause>(set).filter((clause) => clause.language === language);
  const counts = { oneSided: 0, found: 0, burden: 0, harmless: 0, alarms: 0, any: 0 };
  for (const clause of clauses) {
    const { kind, oneSided, burdens, text } = clause;
    const findings = findingsOf(clause);
    const hit = findings.find((finding) => finding.kind === kind);
    const got = findings.map((finding) => `${finding.kind} → ${finding.burdens ?? '?'}`).join(', ');
    counts[oneSided ? 'oneSided' : 'harmless'] += 1;
    if (oneSided && hit) counts.found += 1;
    if (oneSided && hit?.burdens === burdens) counts.burden += 1;
    if (!oneSided && hit) counts.alarms += 1;
    if (!oneSided && findings.length > 0) counts.any += 1;
    const isRight = oneSided ? hit?.burdens === burdens : findings.length === 0;
    if (!isRight) failures.push({ set, what: kind, expected: oneSided ? `${kind} → ${burdens ?? '?'}` : 'nothing', got, text });
  }
  return [counts.oneSided, counts.found, counts.burden, counts.oneSided - counts.found, counts.harmless, counts.alarms, counts.any];
}

function findingsOf({ language, parties: [first, second], text }: Clause): readonly ReviewFinding[] {
  const whole =
    language === 'ko'
      ? `계약서\n\n주식회사 가나다(이하 "${first}"${particle(first)} 한다)와 라마바(이하 "${second}"${particle(second)} 한다)는 다음과 같이 계약한다.\n\n제1조(조건) ${text}\n제2조(효력) 나머지는 법에 따른다.\n`
      : `AGREEMENT\n\nThis Agreement is made between Alder Ltd. ("${first}") and Birch Ltd. ("${second}").\n\n1. Condition. ${text}\n2. Notices. Notices are in writing.\n`;
  return reviewContract(parseContract({ name: 'clause.txt', text: whole })).findings;
}

const particle = (word: string): string => ((word.charCodeAt(word.length - 1) - 0xac00) % 28 === 0 ? '라' : '이라');

function measureDeadlines(set: SetName, failures: Failure[]): readonly number[] {
  let [right, guessed] = [0, 0];
  const deadlines = read<Deadline>(`deadlines-${set}`);
  for (const one of deadlines) {
    const found = reviewContract(parseContract({ name: 'deadline.txt', text: contractWith(one) })).deadlines.filter(({ passage }) =>
      one.text.includes(passage.text),
    );
    const dates = found.map(({ date }) => date ?? null);
    const isRight = found.length === 1 && dates[0] === one.date;
    if (isRight) right += 1;
    else failures.push({ set, what: 'deadline', expected: String(one.date), got: dates.join(', '), text: one.text });
    if (one.date === null && dates.some((date) => date !== null)) guessed += 1;
  }
  return [deadlines.length, right, guessed];
}

function contractWith({ language, text, signed, effective, start, end }: Deadline): string {
  if (language === 'ko') {
    const day = (date: string): string => date.replace(/(\d+)-0?(\d+)-0?(\d+)/, '$1년 $2월 $3일');
    const term = start && end ? `제1조(계약기간) 계약기간은 ${day(start)}부터 ${day(end)}까지로 한다.\n` : '';
    const signature = signed ? `\n위와 같이 계약을 체결한다.\n\n${day(signed)}\n\n갑: 가나다 (인)\n을: 라마바 (인)\n` : '';
    return `계약서\n\n주식회사 가나다(이하 "갑"이라 한다)와 라마바(이하 "을"이라 한다)는 다음과 같이 계약한다.\n\n${term}제2조(기한) ${text}\n제3조(효력) 나머지는 법에 따른다.\n${signature}`;
  }
  const date = effective ? ` as of ${effective} (the "Effective Date")` : '';
  const term = start && end ? `1. Term. The term begins on ${start} and ends on ${end}.\n` : '1. Subject. This Agreement concerns wood.\n';
  return `AGREEMENT\n\nThis Agreement is made${date} between Alder Ltd. ("Supplier") and Birch Ltd. ("Buyer").\n\n${term}2. Dates. ${text}\n3. Notices. Notices are in writing.\n`;
}

function measureChecklists(set: SetName, failures: Failure[]): readonly number[] {
  const contracts = read<SmallContract>(`contracts-${set}`);
  let [points, found, wrong] = [0, 0, 0];
  for (const { type, absent, text } of contracts) {
    const review = reviewContract(parseContract({ name: 'contract.txt', text }));
    const got = review.type === type ? review.absent.map(({ point }) => point) : [];
    points += absent.length;
    found += absent.filter((point) => got.includes(point)).length;
    wrong += got.filter((point) => !absent.includes(point)).length;
    if ([...got].sort().join() !== [...absent].sort().join())
      failures.push({
        set,
        what: `checklist ${type}`,
        expected: absent.join(', '),
        got: `${review.type}: ${got.join(', ')}`,
        text: text.slice(0, 40),
      });
  }
  return [contracts.length, points, found, wrong];
}
