import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRuntime } from 'agent-machines';
import { type Article, type ContractDocument, type ContractItem, citableLabel } from 'agent-machines/contracts';
import { loadContract } from 'agent-machines/contracts/node';
import { contractAgent } from 'agent-machines/machines/contract-agent';

export const lookupUsage = 'npm run eval -- lookup [--data DIR] [--each N] [--json]';

const shipped = 'machines/contract-agent/examples';

/** A question for a part of a contract by its label, and the `id` of that part. */
interface LookupQuestion {
  readonly question: string;
  readonly spelling: string;
  readonly expected: string;
}

/** Asks for every labelled part in several spellings, and counts how many answers are from exactly that part. */
export async function evaluateLookup(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { data: { type: 'string' }, each: { type: 'string', default: '200' }, json: { type: 'boolean', default: false } },
  });
  const folder = values.data ?? shipped;
  const results = new Map<string, { asked: number; right: number; wrong: string[] }>();
  for (const name of (await readdir(folder)).filter((one) => /\.(?:md|txt|docx)$/u.test(one)).sort()) {
    const contract = await loadContract(join(folder, name));
    const runtime = createRuntime();
    const workflow = contractAgent({ contracts: [{ contract }], enableCache: false });
    for (const { question, spelling, expected } of spread(questionsOf(contract), Number(values.each))) {
      const result = await runtime.start(workflow, { input: question }).result;
      const ids = result.status === 'done' ? result.output.sources.map(({ id }) => id) : [];
      const isRight = ids.length === 1 && ids[0] === expected;
      const sum = results.get(spelling) ?? { asked: 0, right: 0, wrong: [] };
      sum.asked++;
      if (isRight) sum.right++;
      else sum.wrong.push(`${name}: ${question} is ${expected}, not ${ids.join(', ') || 'nothing'}`);
      results.set(spelling, sum);
    }
    await runtime.close();
  }
  const rows = [...results].map(([spelling, { asked, right, wrong }]) => ({
    spelling,
    asked,
    right,
    share: right / asked,
    wrong: wrong.slice(0, 5),
  }));
  const all = { asked: rows.reduce((sum, { asked }) => sum + asked, 0), right: rows.reduce((sum, { right }) => sum + right, 0) };
  if (values.json) console.log(JSON.stringify({ ...all, share: all.right / all.asked, rows }, null, 2));
  else {
    for (const { spelling, asked, right, wrong } of rows) {
      console.log(`${spelling.padEnd(28)} ${String(right).padStart(6)} of ${String(asked).padStart(6)}  ${percent(right / asked)}`);
      for (const one of wrong.slice(0, 2)) console.log(`    ${one}`);
    }
    console.log(
      `${'all'.padEnd(28)} ${String(all.right).padStart(6)} of ${String(all.asked).padStart(6)}  ${percent(all.right / all.asked)}`,
    );
  }
  return 0;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** So many of them, from all over. */
const spread = (questions: readonly LookupQuestion[], count: number): readonly LookupQuestion[] =>
  questions.length <= count
    ? questions
    : Array.from({ length: count }, (_, i) => questions[Math.floor((i * questions.length) / count)] ?? []).flat();

function questionsOf(document: ContractDocument): readonly LookupQuestion[] {
  const counts = new Map<string, number>();
  for (const { label, part } of document.articles) counts.set(`${part} ${label}`, (counts.get(`${part} ${label}`) ?? 0) + 1);
  return document.articles.flatMap((article) => {
    // a label that is there twice names neither
    if ((counts.get(`${article.part} ${article.label}`) ?? 0) > 1 || article.deleted) return [];
    const name = citableLabel(document, article);
    return [...spellingsOf(name).map((one) => ({ ...one, expected: article.id })), ...belowOf(article, name)];
  });
}

const circled = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';

/** Paragraphs and the items of paragraphs that have one label of their kind. */
function belowOf(article: Article, name: string): readonly LookupQuestion[] {
  const isKorean = /조/u.test(name);
  const once = <T extends Pick<ContractItem, 'label'>>(nodes: readonly T[]): readonly T[] =>
    nodes.filter(({ label }) => nodes.filter((other) => other.label === label).length === 1);
  return once(article.paragraphs).flatMap(({ label, items }) => {
    const number = circled.indexOf(label) + 1;
    if (isKorean && number > 0) {
      const own = `${name} 제${number}항`;
      return [
        { spelling: '제7조 제3항', question: `${own}은 뭐라고 해?`, expected: `${article.id} 제${number}항` },
        {
          spelling: '7조 3항',
          question: `${name.replace(/제(\d+)조/u, '$1조')} ${number}항 보여줘`,
          expected: `${article.id} 제${number}항`,
        },
        ...once(items).flatMap((item) => {
          const value = /^(\d+)\.$/u.exec(item.label)?.[1];
          return value === undefined
            ? []
            : [
                {
                  spelling: '제7조 제3항 제2호',
                  question: `${own} 제${value}호가 뭐야?`,
                  expected: `${article.id} 제${number}항 제${value}호`,
                },
              ];
        }),
      ];
    }
    if (!/^\([a-z]{1,4}\)$/u.test(label)) return [];
    return [{ spelling: 'Section 4.02(a)', question: `What does ${name}${label} say?`, expected: `${article.id} ${label}` }];
  });
}

const romans = [
  '',
  'I',
  'II',
  'III',
  'IV',
  'V',
  'VI',
  'VII',
  'VIII',
  'IX',
  'X',
  'XI',
  'XII',
  'XIII',
  'XIV',
  'XV',
  'XVI',
  'XVII',
  'XVIII',
  'XIX',
  'XX',
];

function spellingsOf(name: string): readonly Omit<LookupQuestion, 'expected'>[] {
  if (/[가-힣]/u.test(name)) {
    return [
      { spelling: '제7조, 별지 1, 부칙 제2조', question: `${name} 내용이 뭐야?` },
      { spelling: '7조', question: `${name.replace(/제(\d+)조/u, '$1조')} 보여줘` },
      { spelling: '제 7 조', question: `${name.replace(/제(\d+)조/u, '제 $1 조')}에 뭐라고 되어 있어?` },
    ];
  }
  const roman = /^Article (\d+)$/u.exec(name)?.[1];
  return [
    { spelling: 'Section 4.02', question: `What does ${name} say?` },
    { spelling: 'section 4.02', question: `show me ${name.toLowerCase()}` },
    { spelling: 'SECTION 4.02', question: `${name.toUpperCase()}?` },
    ...(roman !== undefined && romans[Number(roman)]
      ? [{ spelling: 'Article IV', question: `What is in Article ${romans[Number(roman)]}?` }]
      : []),
    ...(/^Section \d+\.\d+$/u.test(name) ? [{ spelling: '4.02', question: `${name.replace('Section ', '')}?` }] : []),
    ...(/^Section \d/u.test(name) ? [{ spelling: 'Sec. 4.02', question: `Sec. ${name.replace('Section ', '')} please` }] : []),
  ];
}
