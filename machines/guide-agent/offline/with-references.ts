type Plan = readonly string[];

const ordinals = ['첫', '두', '세', '네', '다섯'];
const englishOrdinals = ['first', 'second', 'third', 'fourth', 'fifth'];
const step = '(?:단계|작업|항목|것|거)';
const englishStep = '(?:step|task|sub-?task|item|one)';

/**
 * Replaces references to sub-tasks with «1», «2», …. A reference is a number ("3번", "step 3"), a place ("두 번째", "the last step") or a name.
 * A number beyond the plan stays, so nothing is guessed.
 */
export function withReferences(text: string, plan: Plan): string {
  const numbered = text
    .replaceAll(new RegExp(`(첫|두|세|네|다섯)\\s?번째(?:\\s?${step})?`, 'gu'), (_, word: string) => mark(ordinals.indexOf(word) + 1))
    .replaceAll(new RegExp(`첫\\s?${step}`, 'gu'), mark(1))
    .replaceAll(new RegExp(`마지막\\s?(?:${step}|번째)(?!으로)|\\b(?:the\\s+)?last\\s+${englishStep}\\b`, 'giu'), mark(plan.length))
    .replaceAll(new RegExp(`\\b(?:the\\s+)?(${englishOrdinals.join('|')})\\s+${englishStep}\\b`, 'giu'), (_, word: string) =>
      mark(englishOrdinals.indexOf(word.toLowerCase()) + 1),
    )
    .replaceAll(new RegExp(`(?<![\\d.«])(\\d)\\s?(?:번째|번|단계)(?:\\s?${step})?`, 'gu'), (_, digit: string) => mark(digit))
    .replaceAll(new RegExp(`\\b(?:the\\s+)?(\\d)(?:st|nd|rd|th)(?:\\s+${englishStep})?\\b`, 'giu'), (_, digit: string) => mark(digit))
    .replaceAll(
      new RegExp(`\\b(?:the\\s+)?(?:${englishStep}s?|number|no\\.)\\s*#?(\\d)\\b|#(\\d)\\b`, 'giu'),
      (_, one?: string, other?: string) => mark(one ?? other ?? ''),
    )
    .replaceAll(/(?<![\w.,«]|,\s?\d)(\d)(?=$|[\s,→>\-–~&]|[을를은는과와도랑]|하고|이랑)/gu, (_, digit: string) => mark(digit))
    .replaceAll(/(?<=»\s?[,→>\-–]\s?)(\d)(?![\d»])/gu, (_, digit: string) => mark(digit))
    .replaceAll(/(?<=»\s?[,→>\-–]\s?)(\d)(?![\d»])/gu, (_, digit: string) => mark(digit));
  return plan.reduce((marked, task, index) => nameMarked(marked, task, index, plan), numbered);
}

const mark = (place: number | string): string => `«${place}»`;

/** Marks the whole name of a sub-task, or a word that occurs in no other name. */
function nameMarked(text: string, task: string, index: number, plan: Plan): string {
  const whole = replaceName(text, task, index);
  if (whole !== text) return whole;
  const others = plan.filter((_, other) => other !== index).map((other) => other.toLowerCase());
  const words = task
    .split(/[\s/·,]+/)
    .map((word) => word.replace(/(?<=..)(?:[을를은는이가와과]|으로|로)$/u, ''))
    .filter((word) => word.length >= 2 && !general.test(word) && !others.some((other) => other.includes(word.toLowerCase())));
  const found = words.filter((word) => replaceName(text, word, index) !== text);
  const [first, ...more] = found;
  if (first === undefined) return text;
  // adjacent words of one name are one reference
  const marked = more.reduce((rest, word) => replaceName(rest, word, index), replaceName(text, first, index));
  return marked.replaceAll(new RegExp(`${mark(index + 1)}(?:\\s*${mark(index + 1)})+`, 'g'), mark(index + 1));
}

const general = /^(?:the|and|for|with|make|write|edit|create|find|into|from|만들기|쓰기|넣기|하기|작성|제작|찾기|정리)$/iu;

function replaceName(text: string, name: string, index: number): string {
  const at = text.toLowerCase().indexOf(name.toLowerCase());
  const before = text[at - 1] ?? ' ';
  if (at < 0 || /[\p{L}\p{N}]/u.test(before) || text.lastIndexOf('«', at) > text.lastIndexOf('»', at)) return text;
  const after = text.slice(at + name.length);
  if (/^[a-z]/i.test(after) && /[a-z]$/i.test(name)) return text;
  return `${text.slice(0, at).replace(/\bthe\s+$/i, '')}${mark(index + 1)}${after}`;
}
