import type { StoredEvent } from '../../core/ports/run-event.ts';
import { type AcquiredRun, hasEnded, type JournalEntry, type Lease, resultStatus, type Settlement } from '../../core/ports/run-store.ts';
import { modelCost, type PriceTable } from '../../core/util/model-cost.ts';
import type { CountedMetric } from './counted-metric.ts';
import type { CountedName } from './definitions.ts';

type EventOf<TType extends StoredEvent['type']> = Extract<StoredEvent, { readonly type: TType }>;

interface DrivenRun {
  readonly workflow: string;
  readonly startedAt: number;
  /** Requested models of open calls, by node and task. A reply may name another model. */
  readonly asked: Map<string, string>;
}

/** Counts the runs of stores from their committed entries, so that each fact counts once. */
export class RunCounts {
  readonly #metrics: Readonly<Record<CountedName, CountedMetric>>;
  readonly #prices: PriceTable;
  /** A drive that dies with its process, or loses its store, has no end that could remove it. */
  readonly #driven = new WeakMap<Lease, DrivenRun>();

  constructor(metrics: Readonly<Record<CountedName, CountedMetric>>, prices: PriceTable) {
    this.#metrics = metrics;
    this.#prices = prices;
  }

  /** @param start the first entry. The others of a fork are copies. */
  created({ lease, record: { workflow, startedAt } }: AcquiredRun, start: JournalEntry): void {
    const run = { workflow, startedAt, asked: new Map<string, string>() };
    this.#driven.set(lease, run);
    this.#metrics.runsStarted.add(1, workflow);
    this.#take(run, start);
  }

  acquired({ lease, record: { workflow, startedAt, crashes } }: AcquiredRun): void {
    this.#driven.set(lease, { workflow, startedAt, asked: new Map() });
    if (crashes > 0) this.#metrics.takeovers.add(1, workflow);
  }

  appended(lease: Lease, entry: JournalEntry): void {
    const run = this.#driven.get(lease);
    if (run) this.#take(run, entry);
  }

  settled(lease: Lease, { entry, ...rest }: Omit<Settlement, 'machine' | 'threadState'>): void {
    const run = this.#driven.get(lease);
    if (!run || !entry) return; // without an entry, nothing has happened
    this.#take(run, entry);
    this.ended(run, entry, rest);
  }

  /** Counts the end of a drive. */
  ended(
    { workflow, startedAt }: Pick<DrivenRun, 'workflow' | 'startedAt'>,
    { at }: JournalEntry,
    rest: Pick<Settlement, 'status' | 'activeMs' | 'failure'>,
  ): void {
    const { runsSuspended, runsEnded, runDuration, runActive } = this.#metrics;
    const { status, failure } = { ...rest, status: resultStatus(rest) };
    if (!hasEnded(status)) {
      runsSuspended.add(1, workflow, status);
      return;
    }
    runsEnded.add(1, workflow, status, failure ?? '');
    runDuration.add((at - startedAt) / 1000, workflow, status);
    runActive.add(rest.activeMs / 1000, workflow, status);
  }

  #take(run: DrivenRun, { events }: JournalEntry): void {
    for (const event of events) this.#count(run, event);
  }

  #count(run: DrivenRun, event: StoredEvent): void {
    const { workflow, asked } = run;
    const { nodeDuration, nodeErrors, nodeRetries } = this.#metrics;
    switch (event.type) {
      case 'node-end': {
        const node = stateOf(event.key);
        if (node === undefined) return;
        nodeDuration.add(event.durationMs / 1000, workflow, node);
        if (event.error) nodeErrors.add(1, workflow, node, event.error.code);
        return;
      }
      case 'node-retry':
        nodeRetries.add(1, workflow, stateOf(event.key) ?? '', event.error.code);
        return;
      case 'model-start':
        asked.set(callOf(event), event.model);
        return;
      case 'model-end':
        this.#countModel(event, asked.get(callOf(event)) ?? event.model);
        asked.delete(callOf(event));
        return;
      case 'tool-end':
        this.#countTool(event);
        return;
      default:
        return;
    }
  }

  #countTool({ tool, durationMs, attempts, deduplicated, error }: EventOf<'tool-end'>): void {
    if (deduplicated) return; // no call of its own
    const { toolDuration, toolErrors, toolRetries } = this.#metrics;
    toolDuration.add(durationMs / 1000, tool);
    if (error) toolErrors.add(1, tool, error.code);
    if (attempts > 1) toolRetries.add(attempts - 1, tool);
  }

  /** @param model the requested one. */
  #countModel({ model: replied, durationMs, usage, cached, error }: EventOf<'model-end'>, model: string): void {
    const { modelCached, modelDuration, modelErrors, modelTokens, modelSavedTokens, modelReasoning, modelCost: cost } = this.#metrics;
    if (cached) {
      modelCached.add(1, model);
      return;
    }
    modelDuration.add(durationMs / 1000, model);
    if (error) modelErrors.add(1, model, error.code);
    modelTokens.add(usage.inputTokens, model, 'input');
    modelTokens.add(usage.outputTokens, model, 'output');
    if (usage.cachedInputTokens !== undefined) modelSavedTokens.add(usage.cachedInputTokens, model);
    if (usage.reasoningTokens !== undefined) modelReasoning.add(usage.reasoningTokens, model);
    const price = error ? undefined : modelCost(usage, [replied, model], this.#prices);
    if (price !== undefined) cost.add(price, model);
  }
}

const callOf = ({ node = '', task }: EventOf<'model-start' | 'model-end'>): string => `${node} ${task}`;

/** State of a node's key `scope/state#visit`; `undefined` for a workflow called by a tool, whose key ends with the call's id. */
function stateOf(key: string): string | undefined {
  const parts = key.split('/');
  return parts.length % 2 === 0 ? undefined : parts.at(-1)?.replace(/#\d+$/, '');
}
