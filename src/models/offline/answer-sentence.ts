import { evaluateExpression } from '../../core/arithmetic/expression.ts';
import { answersInKorean } from '../../core/text/answers-in-korean.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { localDatetime } from '../../core/util/local-datetime.ts';
import { answerSmallTalk } from './answer-small-talk.ts';
import { describeSum } from './describe-sum.ts';
import { describeToolOutput } from './describe-tool-output.ts';
import { parseNow } from './parse-now.ts';
import { type ReadNeedsOptions, readSentence } from './read-needs.ts';

/**
 * Answers a sentence without a model and without tools: sums, dates, times, units and small talk. Returns `undefined` for all else.
 * @example answerSentence('12의 제곱은?') // '12^2 = 144'
 */
export function answerSentence(text: string, options: ReadNeedsOptions = {}): string | undefined {
  const korean = answersInKorean(text);
  const need = readSentence(text, options);
  switch (need?.kind) {
    case 'known':
      return need.answer;
    case 'calculate':
      return sumOf(need.expression, need.unit);
    case 'datetime': {
      const now = options.currentDatetime === undefined ? undefined : parseNow(options.currentDatetime);
      return now && describeToolOutput('get_current_datetime', localDatetime(now.epochMs, need.zone ?? now.zone), { korean });
    }
    default:
      return answerSmallTalk(text, korean);
  }
}

/** Evaluates with 15 digits, like the calculator. Returns `undefined` without a finite result. */
function sumOf(expression: string, unit?: string): string | undefined {
  try {
    return describeSum(expression, Number(evaluateExpression(expression).toPrecision(15)), unit);
  } catch (error) {
    if (hasCode(error, 'EXPRESSION_INVALID')) return undefined;
    throw error;
  }
}
