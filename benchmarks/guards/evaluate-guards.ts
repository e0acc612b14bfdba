import { parseArgs } from 'node:util';
import { maskPersonalData, maskSecrets, stripForeignLinks } from 'agent-machines/guards';
import { type KindFigures, measureDetection } from '../../test/fixtures/personal-texts/find-values.ts';
import { makePersonalTexts } from '../../test/fixtures/personal-texts/made.ts';
import second from '../../test/fixtures/personal-texts/second.json' with { type: 'json' };
import unseen from '../../test/fixtures/personal-texts/unseen.json' with { type: 'json' };

export const guardsUsage = 'npm run eval -- guards [--json]';

/** Texts whose parts make a pattern try again and again, beside ordinary ones. */
const seeds: Readonly<Record<string, string>> = {
  Korean: '이 계약은 갑과 을 사이에 체결한다. 제3조 대금은 12,000,000원으로 하고 2026년 3월 1일까지 지급한다. ',
  English: 'The quick brown fox jumps over 13 lazy dogs and pays 12,000 on 2026-03-01. ',
  'digit groups': '1234 5678 9012 3456 7890 ',
  'one number': '1',
  'IBAN starts': 'DE00 AAAA AAAA AAAA AAAA ',
  addresses: 'a.a@a.a.',
  'URLs with users': '://u:p',
  'key starts': '-----BEGIN RSA PRIVATE KEY-----AAAA',
  'named values': 'password= token: key=a ',
  brackets: '(12) (34) ',
  'open links': '[a](( ![b](',
  tags: '<a <b ',
};

const millisecondsOf = (work: () => unknown): number => {
  const times = Array.from({ length: 3 }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
  return Math.min(...times);
};

/** Measures the shipped guards: recall and precision by kind on three lists of texts, and time by size. */
export async function evaluateGuards(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
  const lists = {
    made: makePersonalTexts(600, 1),
    second: textsOf(second),
    unseen: textsOf(unseen),
  };
  const detection = Object.entries(lists).map(([list, texts]) => ({ list, texts: texts.length, ...measureDetection(texts) }));
  const speed = Object.entries(seeds).flatMap(([text, seed]) =>
    Object.entries(measureSpeed(seed)).map(([guard, times]) => ({ text, guard, ...times })),
  );
  if (values.json) console.log(JSON.stringify({ detection, speed }, null, 2));
  else print(detection, speed);
  return 0;
}

const textsOf = ({ values, clean }: typeof second) => [...values, ...clean.map((text) => ({ text }))];

interface Times {
  /** Milliseconds for a million characters. */
  readonly perMillion: number;
  /** Time for four million characters as a multiple; 4 is linear. */
  readonly growth: number;
}

function measureSpeed(seed: string): Readonly<Record<string, Times>> {
  const long = (length: number): string => seed.repeat(Math.ceil(length / seed.length)).slice(0, length);
  const [one, four] = [long(1_000_000), long(4_000_000)];
  const { signal } = new AbortController();
  const guards = [maskSecrets(), maskPersonalData(), stripForeignLinks()];
  const timesOf = (check: (text: string) => unknown): Times => {
    check(long(20_000));
    const perMillion = millisecondsOf(() => check(one));
    return { perMillion, growth: millisecondsOf(() => check(four)) / perMillion };
  };
  const context = { signal, part: 'final', exchange: { task: 'measure', messages: [] } } as const;
  return Object.fromEntries(
    guards.flatMap((guard) => {
      const whole = timesOf((text) => guard.check(text, { ...context, border: guard.at[0] ?? 'answer' }));
      if (!guard.stream) return [[guard.name, whole]];
      const inPieces = timesOf((text) => {
        const stream = guard.stream?.({ ...context, border: 'answer' });
        for (let at = 0; at < text.length; at += 4) stream?.push(text.slice(at, at + 4));
        return stream?.end();
      });
      return [
        [guard.name, whole],
        [`${guard.name}, streamed`, inPieces],
      ];
    }),
  );
}

function print(
  detection: readonly {
    readonly list: string;
    readonly texts: number;
    readonly kinds: readonly KindFigures[];
    readonly wrong: readonly string[];
  }[],
  speed: readonly (Times & { readonly text: string; readonly guard: string })[],
): void {
  for (const { list, texts, kinds, wrong } of detection) {
    console.log(`\n${list}: ${texts} texts`);
    for (const { kind, found, of, falseAlarms, recall, precision } of kinds)
      console.log(
        `  ${kind.padEnd(16)} ${String(found).padStart(4)} of ${String(of).padStart(4)}, ${falseAlarms} false  recall ${recall.toFixed(3)}  precision ${precision.toFixed(3)}`,
      );
    if (list !== 'made') for (const line of wrong) console.log(`    ${line}`);
  }
  console.log('\nmilliseconds per million characters, and time for four million as a multiple');
  for (const { text, guard, perMillion, growth } of speed)
    console.log(`  ${text.padEnd(16)} ${guard.padEnd(30)} ${perMillion.toFixed(0).padStart(6)}  ×${growth.toFixed(1)}`);
}
