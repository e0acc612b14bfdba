import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import type { TokenCount } from './count-tokens.ts';
import type { Shape } from './look-ups.ts';
import { measureTokens } from './measure-tokens.ts';

/** The same task, done by a plan and by a loop. */
interface TokenFigure {
  readonly calls: number;
  readonly shape: Shape;
  readonly planned: TokenCount;
  readonly react: TokenCount;
  /** Tokens of the plan by those of the loop, sent and replied. */
  readonly ratio: number;
}

const total = ({ sent, replied }: TokenCount): number => sent + replied;

/** What plan-execute sends and is sent beside a ReAct loop, for 1 to 8 calls. Nothing is timed. */
export async function runTokensQuestion({ quick }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const figures: TokenFigure[] = [];
  for (const shape of ['independent', 'dependent'] as const) {
    for (const calls of [1, 2, 4, 8]) {
      const planned = await measureTokens('plan-execute', calls, shape);
      const react = await measureTokens('ReAct', calls, shape);
      figures.push({ calls, shape, planned, react, ratio: total(planned) / total(react) });
    }
  }
  const cells = (count: TokenCount): readonly string[] => [String(count.requests), String(count.sent), String(count.replied)];
  printTable(
    'Estimated tokens of every request and reply',
    ['', 'plan-execute: requests', 'sent', 'replied', 'ReAct: requests', 'sent', 'replied', 'plan-execute / ReAct'],
    figures.map(({ calls, shape, planned, react, ratio }) => [`${calls} ${shape}`, ...cells(planned), ...cells(react), ratio.toFixed(3)]),
  );
  if (quick) return;
  const method =
    'Tokens are estimated (estimateTokens), so the figures are the same on every machine. Counted is every message, the tools that a request offers and the schema that it asks for. No prompt cache of a provider is counted.';
  writeResults('tokens', startedAt, { machine: machineInfo({}), method, figures });
}
