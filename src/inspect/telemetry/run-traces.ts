import { context, type SpanContext, trace } from '@opentelemetry/api';
import type { Json } from '../../core/ports/json.ts';
import type {
  AcquiredRun,
  Awaitable,
  CancelledRun,
  JournalEntry,
  Lease,
  NewRun,
  RunRecord,
  Settlement,
} from '../../core/ports/run-store.ts';
import { isObject } from '../../core/util/is-object.ts';
import { DriveTrace, type TracedRun } from './drive-trace.ts';
import type { Telemetry } from './telemetry-options.ts';
import { readTrace, type TraceContext, toStoredTrace } from './trace-context.ts';
import { spanIdOf, traceIdOf } from './trace-ids.ts';

/** Drive of a run. Buffers its events while the journal is being read. */
interface TracedDrive {
  readonly epoch: number;
  trace?: DriveTrace;
  readonly waiting: ((trace: DriveTrace) => void)[];
}

/** Traces the drives of all runs of one store. No method throws. */
export class RunTraces {
  readonly #telemetry: Telemetry;
  readonly #journal: (runId: string) => Awaitable<readonly JournalEntry[]>;
  readonly #drives = new Map<string, TracedDrive>();

  constructor(telemetry: Telemetry, journal: (runId: string) => Awaitable<readonly JournalEntry[]>) {
    this.#telemetry = telemetry;
    this.#journal = journal;
  }

  /** Starts the trace of a run. @returns the `start` entry with the trace's ids, and a callback for the created run. */
  begin(run: NewRun, start: JournalEntry): { readonly start: JournalEntry; readonly created: (acquired: AcquiredRun) => void } {
    const begun = this.#telemetry.safely(() => {
      const parent = trace.getSpanContext(context.active());
      const drive = new DriveTrace({ telemetry: this.#telemetry, run, epoch: 1, startedAt: start.at, parent });
      drive.begin(inputOf(start.outcome));
      return { drive, parent, root: drive.context };
    });
    const { drive, parent, root } = begun ?? {};
    if (!drive || !root || !isObject(start.outcome)) return { start, created: () => {} };
    const noted = { ...start.outcome, trace: toStoredTrace({ root, ...(parent ? { parent } : {}) }) } as Json;
    const entry = { ...start, outcome: noted };
    const created = ({ lease, record }: AcquiredRun): void => {
      this.#telemetry.safely(() => {
        drive.take(entry);
        if (record.status === 'queued') drive.rest('queued', entry.at);
        else this.#drives.set(run.id, { epoch: lease.epoch, trace: drive, waiting: [] });
      });
    };
    return { start: entry, created };
  }

  /** Starts the trace of a resumed run. Its journal is read in parallel with the drive, to find the run's position. */
  resume({ lease, record }: AcquiredRun): void {
    const traced: TracedDrive = { epoch: lease.epoch, waiting: [] };
    this.#drives.set(record.id, traced);
    const startedAt = Date.now();
    const go = (journal: readonly JournalEntry[]): void => {
      const entries = journal.filter(({ seq }) => seq <= record.seq);
      traced.trace = this.#telemetry.safely(() => this.#continue(record, lease.epoch, startedAt, entries));
      const { trace: drive } = traced;
      if (drive) for (const tell of traced.waiting) this.#telemetry.safely(() => tell(drive));
      traced.waiting.length = 0;
    };
    const read = async (): Promise<readonly JournalEntry[]> => this.#journal(record.id);
    void read().then(go, () => go([]));
  }

  committed({ runId, epoch }: Lease, entry: JournalEntry): void {
    this.#tell(runId, epoch, (drive) => drive.take(entry));
  }

  settled({ runId, epoch }: Lease, { entry, status }: Settlement): void {
    this.#tell(runId, epoch, (drive) => {
      if (entry) drive.take(entry);
      drive.rest(status, entry?.at ?? Date.now(), entry?.outcome);
    });
    this.lost({ runId, epoch });
  }

  /** Traces a drive that consists of the last entry. */
  cancelled({ lease, record, entry }: CancelledRun): void {
    this.resume({ lease, record: { ...record, seq: entry.seq - 1 }, owner: '' });
    this.settled(lease, { entry, status: 'cancelled', activeMs: record.activeMs });
  }

  /** Drops a drive that lost its lease. The next driver reports how it ended. */
  lost({ runId, epoch }: Lease): void {
    if (this.#drives.get(runId)?.epoch === epoch) this.#drives.delete(runId);
  }

  #tell(runId: string, epoch: number, tell: (trace: DriveTrace) => void): void {
    const traced = this.#drives.get(runId);
    if (traced?.epoch !== epoch) return;
    const { trace: drive } = traced;
    if (drive) this.#telemetry.safely(() => tell(drive));
    else traced.waiting.push(tell);
  }

  #continue(record: RunRecord, epoch: number, startedAt: number, entries: readonly JournalEntry[]): DriveTrace {
    const telemetry = this.#telemetry;
    const run = tracedRun(record);
    const noted = readTrace(entries[0]?.outcome);
    const parent = noted?.root ?? derivedRoot(record.id);
    const from = entries.findIndex((entry) => entry.epoch === epoch - 1);
    if (from >= 0 && entries.at(-1)?.kind !== 'settle') this.#endInterrupted(run, epoch - 1, entries, from, noted);
    return new DriveTrace({ telemetry, run, epoch, startedAt, parent, before: entries });
  }

  /** Reports the spans that a dead process left open. */
  #endInterrupted(run: TracedRun, epoch: number, entries: readonly JournalEntry[], from: number, noted: TraceContext | undefined): void {
    const own = entries.slice(from).filter((entry) => entry.epoch === epoch);
    const [first] = own;
    const last = own.at(-1);
    if (!first || !last) return;
    const parent = epoch === 1 && noted ? noted.parent : (noted?.root ?? derivedRoot(run.id));
    const before = entries.slice(0, from);
    const drive = new DriveTrace({ telemetry: this.#telemetry, run, epoch, startedAt: first.at, parent, silent: true, before });
    drive.begin(epoch === 1 ? inputOf(first.outcome) : undefined);
    for (const entry of own) drive.take(entry);
    drive.interrupted(last.at);
  }
}

const tracedRun = ({ id, workflow, version, threadId }: RunRecord): TracedRun => ({ id, workflow, version, threadId });

const inputOf = (startOutcome: Json): Json | undefined => {
  const input = isObject(startOutcome) ? startOutcome.input : undefined;
  return input as Json | undefined;
};

/** Root for a run that was started without telemetry, so that its spans still share one trace. */
const derivedRoot = (runId: string): SpanContext => ({
  traceId: traceIdOf(runId),
  spanId: spanIdOf(runId, 1, ''),
  traceFlags: 1,
  isRemote: true,
});
