import { statSync } from 'node:fs';
import { toErrorInfo, WorkflowError } from '../../../core/errors/errors.ts';
import type { RunEvent } from '../../../core/ports/run-event.ts';
import { type RunRecord, type RunStore, resultStatus } from '../../../core/ports/run-store.ts';
import type { AnyWorkflow } from '../../../engine/define/define-workflow.ts';
import { type MachineGraph, toGraph } from '../../../engine/define/graph.ts';
import { createRuntime } from '../../../engine/run/create-runtime.ts';
import type { Runtime } from '../../../engine/run/runtime.ts';
import type { Censor } from '../../../inspect/censor.ts';
import { graphOfStructure } from '../../../inspect/structure-graph.ts';
import { toXStateSource } from '../../../inspect/xstate-config.ts';
import { sqliteStore } from '../../../stores/sqlite/sqlite-store.ts';
import type { FeedEntry, FeedRun, FeedRunContents } from './feed-types.ts';

const maxRuns = 200;

export interface DatabaseWatchOptions {
  /** Database file. It may be missing at first, be deleted, or be replaced. */
  readonly path: string;
  /** Returns the workflow of an id if this program has it. Its machine has more details than the stored structure. */
  readonly workflowOf: (id: string) => Promise<AnyWorkflow | undefined>;
  readonly censor: Censor;
}

/** Result of one read of the database. */
export interface Found {
  /** In order, newest first. */
  readonly runs: readonly FeedRun[];
  /** Contents of the requested runs that exist. */
  readonly contents: ReadonlyMap<string, FeedRunContents>;
  readonly trouble?: { readonly code: string; readonly message: string };
}

interface OpenResources {
  readonly store: RunStore;
  readonly runtime: Runtime;
  readonly file: string;
}

/** Reads a database that other processes write to. Writes nothing and creates no file. */
export class DatabaseWatch {
  readonly #options: DatabaseWatchOptions;
  #opened: OpenResources | undefined;
  #known = new Map<string, FeedRunContents>();

  constructor(options: DatabaseWatchOptions) {
    this.#options = options;
  }

  /** @param ids runs whose journals are requested. Never rejects. */
  async look(ids: Iterable<string>): Promise<Found> {
    try {
      const opened = await this.#open();
      if (!opened) return this.#lost({ code: 'STORE_UNAVAILABLE', message: `There is no database ${this.#options.path} yet.` });
      const runs = (await opened.runtime.list({ limit: maxRuns })).map(toFeedRun);
      const known = new Map<string, FeedRunContents>();
      for (const id of ids) {
        const contents = await this.#read(opened, id);
        if (contents) known.set(id, contents);
      }
      this.#known = known;
      return { runs, contents: known };
    } catch (thrown) {
      await this.close();
      const { code, message } = toErrorInfo(thrown);
      return this.#lost({ code, message });
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.runtime.close();
    await opened?.store.close();
  }

  #lost(trouble: NonNullable<Found['trouble']>): Found {
    this.#known = new Map();
    return { runs: [], contents: this.#known, trouble };
  }

  /** Returns the database that currently has the path. */
  async #open(): Promise<OpenResources | undefined> {
    const file = fileNow(this.#options.path);
    if (this.#opened?.file === file) return this.#opened;
    await this.close();
    this.#known = new Map();
    if (file === undefined) return undefined;
    const store = sqliteStore({ path: this.#options.path });
    this.#opened = { store, runtime: createRuntime({ store }), file };
    return this.#opened;
  }

  async #read({ store, runtime }: OpenResources, id: string): Promise<FeedRunContents | undefined> {
    const record = await store.read(id);
    if (!record) return undefined;
    const before = this.#known.get(id);
    const run = toFeedRun(record);
    if (before && before.run.seq === run.seq) return { ...before, run };
    const graph = before ? before.graph : await this.#graphOf(store, record);
    const { censor } = this.#options;
    const entries: FeedEntry[] = (await runtime.history(id)).map(({ events: _, ...entry }) => ({
      ...entry,
      outcome: censor(entry.outcome, 'output') as FeedEntry['outcome'],
    }));
    const events: RunEvent[] = [];
    for await (const event of runtime.events(id)) events.push(censor(event, 'event') as RunEvent);
    const source = graph ? toXStateSource(graph) : '';
    return { run: { ...run, seq: entries.length }, graph, source, entries, events, snapshots: [] };
  }

  async #graphOf(store: RunStore, { workflow, structure }: RunRecord): Promise<MachineGraph | null> {
    const ours = await this.#options.workflowOf(workflow);
    if (ours?.structureHash === structure) return toGraph(ours.machine);
    const kept = await store.readStructure(structure);
    return kept ? graphOfStructure(kept) : null;
  }
}

/** Returns the identity of the file at the path; `undefined` if there is none. */
function fileNow(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isFile()) throw new WorkflowError({ code: 'STORE_UNAVAILABLE', message: `${path} is not a file.` });
  return `${found.dev}:${found.ino}`;
}

const toFeedRun = ({ id, workflow, version, seq, startedAt, updatedAt, threadId, failure, wakeAt, ...rest }: RunRecord): FeedRun => ({
  id,
  source: 'database',
  name: workflow,
  version,
  status: resultStatus({ ...rest, ...(failure === undefined ? {} : { failure }) }),
  startedAt,
  updatedAt,
  seq,
  ...(threadId === undefined ? {} : { threadId }),
  ...(failure === undefined ? {} : { failure }),
  ...(wakeAt === undefined ? {} : { wakeAt }),
});
