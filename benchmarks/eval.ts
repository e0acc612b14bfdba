import { evaluateAnswers } from './answers/evaluate-answers.ts';
import { evaluateGuards, guardsUsage } from './guards/evaluate-guards.ts';
import { evaluateLookup, lookupUsage } from './lookup/evaluate-lookup.ts';
import { evaluateRetrieval } from './retrieval/evaluate-retrieval.ts';
import { evaluateSilence, silenceUsage } from './retrieval/evaluate-silence.ts';
import { evaluateReview, reviewUsage } from './review/evaluate-review.ts';

const [first, ...rest] = process.argv.slice(2);
if (first === undefined || first === 'retrieval') {
  process.exitCode = await evaluateRetrieval(rest);
} else if (first === 'answers') {
  process.exitCode = await evaluateAnswers(rest);
} else if (first === 'silence') {
  process.exitCode = await evaluateSilence(rest);
} else if (first === 'lookup') {
  process.exitCode = await evaluateLookup(rest);
} else if (first === 'guards') {
  process.exitCode = await evaluateGuards(rest);
} else if (first === 'review') {
  process.exitCode = await evaluateReview(rest);
} else {
  console.error(
    `usage: npm run eval [-- retrieval [--docs DIR] [--queries FILE.jsonl] [--json]]\n       npm run eval -- answers [--set development|unseen] [--json]\n       ${silenceUsage}\n       ${lookupUsage}\n       ${guardsUsage}\n       ${reviewUsage}`,
  );
  process.exitCode = 2;
}
