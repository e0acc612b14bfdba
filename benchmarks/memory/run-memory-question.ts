import { machineInfo } from '../engine/machine-info.ts';
import type { BenchOptions } from '../engine/run-engine-question.ts';
import { printTable } from '../engine/table.ts';
import { writeResults } from '../engine/write-results.ts';
import { type MessageSize, messageSizes } from './conversation.ts';
import { type ConversationCost, measureConversation } from './measure-conversation.ts';
import { measureLongThread, mostLongThreadRatio } from './measure-long-thread.ts';
import { measureRecall, type RecallFigure, type TalkKind, talksOf } from './measure-recall.ts';

/** A conversation with the window, beside the same one without it. */
interface MemoryFigure {
  readonly turns: number;
  readonly size: MessageSize;
  readonly withWindow: ConversationCost;
  readonly without: ConversationCost;
  /** Share of the tokens that the window saves; below 0 it costs. */
  readonly saved: number;
}

/** What the chat agent's window saves: tokens sent with it and without it, in conversations of several lengths. Nothing is timed. */
export async function runMemoryQuestion({ quick }: BenchOptions): Promise<void> {
  const startedAt = new Date();
  const figures: MemoryFigure[] = [];
  for (const turns of quick ? [25] : [25, 50, 300]) {
    for (const size of Object.keys(messageSizes) as MessageSize[]) {
      const withWindow = await measureConversation(turns, size, true);
      const without = await measureConversation(turns, size, false);
      figures.push({ turns, size, withWindow, without, saved: 1 - withWindow.sentTokens / without.sentTokens });
    }
  }
  const count = (value: number): string => value.toLocaleString('en-US');
  printTable(
    'Estimated tokens sent to models, the router and the summaries included',
    ['', 'with window', 'of it summaries', 'summary calls', 'without', 'saved', 'last request: with', 'without'],
    figures.map(({ turns, size, withWindow, without, saved }) => [
      `${turns} turns, ${messageSizes[size]} tokens a message`,
      count(withWindow.sentTokens),
      count(withWindow.summaryTokens),
      count(withWindow.summaryCalls),
      count(without.sentTokens),
      `${Math.round(saved * 100)} %`,
      count(withWindow.lastRequestTokens),
      count(without.lastRequestTokens),
    ]),
  );
  const recalled: (RecallFigure & { readonly kind: TalkKind; readonly part: string })[] = [];
  for (const kind of ['written', 'other words'] as const) {
    for (const part of ['development', 'check'] as const) {
      for (const language of ['english', 'korean'] as const) {
        const talks = talksOf(kind, part, language, 300);
        for (const maxTokens of [500, 1_000]) recalled.push({ kind, part, ...measureRecall(talks, maxTokens) });
      }
    }
  }
  const percent = (share: number): string => `${Math.round(share * 100)} %`;
  printTable(
    'What answers a question about 300 turns is visible, by words alone',
    ['', 'all', 'single-hop', 'temporal', 'multi-hop', 'open', 'shares a word', 'µs a question'],
    recalled.map(({ kind, part, language, maxTokens, visible, sharedWords, microseconds }) => [
      `${kind}, ${part}, ${language}, ${maxTokens} tokens`,
      percent(visible.all),
      percent(visible['single-hop']),
      percent(visible.temporal),
      percent(visible['multi-hop']),
      percent(visible.open),
      percent(sharedWords),
      count(microseconds),
    ]),
  );
  const longThread = await measureLongThread();
  const [short, long] = longThread;
  const ratio = (long?.cpuMs ?? 0) / (short?.cpuMs ?? 1);
  printTable(
    'A turn of chat-agent without a model, on SQLite: median CPU time',
    ['characters of transcript', 'ms'],
    longThread.map(({ transcriptChars, cpuMs }) => [count(transcriptChars), cpuMs.toFixed(1)]),
  );
  console.log(`\nRatio ${ratio.toFixed(2)}, at most ${mostLongThreadRatio}.`);
  if (ratio > mostLongThreadRatio) process.exitCode = 1;
  if (quick) return;
  const method =
    'Tokens are estimated (estimateTokens), so the figures are the same on every machine. No prompt cache of a provider is counted.';
  writeResults('memory', startedAt, { machine: machineInfo({}), method, figures, recalled, longThread });
}
