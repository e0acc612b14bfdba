/** Two consecutive lines of one paragraph. */
export interface Joint {
  readonly left: string;
  readonly right: string;
}

export interface WordBreaksOptions {
  readonly lines: readonly string[];
  readonly joints: readonly Joint[];
  /** True if no word continues on the next line. */
  readonly wholeWords: boolean;
}

export interface WordBreaks {
  /** Returns the state of the word at the end of a line: `end`, `inside`, or `hyphen` for a hyphen that only marks the line break. */
  at(joint: Joint): 'end' | 'inside' | 'hyphen';
  /** Removes blanks that only spread the letters of a line: `계 약 의 해 지` becomes `계약의 해지`. */
  close(line: string): string;
}

const korean = /[\u3131-\u318e\u4e00-\u9fff\uac00-\ud7a3]/;
const blankBeforeStop = /(?<=[가-힣)\]」』]) (?=[,.](?:\s|$))/g;
const letterSpaced = /(?<=^|\s)(?:\S ){4,}\S(?=\s|$)/g;

// number of characters to compare on the left and on the right
const levels = [
  [2, 2],
  [3, 1],
  [1, 3],
  [2, 1],
  [1, 2],
  [1, 1],
  [2, 0],
  [0, 2],
] as const;

interface Count {
  together: number;
  apart: number;
}

/**
 * Detects the ends of words that the page does not show. A Korean word may continue on the next line, and letters may be spread over a
 * line. It compares with the spelling of the same letters elsewhere in the text.
 */
export function createWordBreaks({ lines, joints, wholeWords }: WordBreaksOptions): WordBreaks {
  const unclear = [...joints, ...lines.flatMap((line) => (line.match(letterSpaced) ?? []).flatMap(gapsOf))].filter(isKorean);
  const counts = levels.map(([before, after]) => {
    const spellings = new Map<string, Count>();
    for (const joint of unclear) spellings.set(keyOf(joint, before, after), { together: 0, apart: 0 });
    if (spellings.size > 0) for (const line of lines) countIn(line, before, after, spellings);
    return spellings;
  });
  /** Above 0 for a single word. */
  const oddsOf = (joint: Joint): number =>
    levels.reduce((sum, [before, after], index) => {
      const { together = 0, apart = 0 } = counts[index]?.get(keyOf(joint, before, after)) ?? {};
      return sum + Math.log((together + 0.3) / (apart + 0.3));
    }, 0);
  const clear = joints
    .filter(isKorean)
    .map(oddsOf)
    .filter((odds) => Math.abs(odds) > 2);
  const endsAtBlanks = wholeWords || (clear.length >= 5 && clear.filter((odds) => odds > 0).length < clear.length * 0.2);
  const words = new Set(lines.flatMap((line) => line.toLowerCase().match(/[a-z]+/g) ?? []));
  return {
    at(joint) {
      if (isKorean(joint)) return endsAtBlanks || oddsOf(joint) < 0 ? 'end' : 'inside';
      const first = /[a-z]*-$/i.exec(endOf(joint.left, 40))?.[0].slice(0, -1);
      const rest = /^[a-z]{0,40}/.exec(joint.right)?.[0];
      if (!first || !rest) return 'end';
      return words.has((first + rest).toLowerCase()) ? 'hyphen' : 'inside';
    },
    close: (line) =>
      line
        .replace(letterSpaced, (run) => {
          const gaps = gapsOf(run);
          if (gaps.filter(isKorean).length * 2 < gaps.length) return run;
          return run.charAt(0) + gaps.map((gap) => (oddsOf(gap) < 0 ? ` ${gap.right.charAt(0)}` : gap.right.charAt(0))).join('');
        })
        .replace(blankBeforeStop, ''),
  };
}

const isKorean = ({ left, right }: Joint): boolean => korean.test(endOf(left, 2)) || korean.test(right.slice(0, 2));

const gapsOf = (run: string): Joint[] => {
  const letters = run.replaceAll(' ', '');
  return Array.from({ length: letters.length - 1 }, (_, at) => ({
    left: letters.slice(Math.max(0, at - 2), at + 1),
    right: letters.slice(at + 1, at + 4),
  }));
};

const endOf = (text: string, length: number): string => text.slice(Math.max(0, text.length - length));

const keyOf = ({ left, right }: Joint, before: number, after: number): string => `${endOf(left, before)}\n${right.slice(0, after)}`;

function countIn(line: string, before: number, after: number, spellings: ReadonlyMap<string, Count>): void {
  for (let at = 1; at < line.length; at++) {
    const isBlank = line[at] === ' ';
    const from = isBlank ? at + 1 : at;
    const found = spellings.get(`${line.slice(Math.max(0, at - before), at)}\n${line.slice(from, from + after)}`);
    if (!found) continue;
    if (isBlank) found.apart++;
    else if (line[at - 1] !== ' ') found.together++;
  }
}
