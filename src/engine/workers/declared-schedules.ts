import type { RuntimeCore } from '../run/runtime-core.ts';
import { ScheduleNotes } from '../schedules/schedule-notes.ts';
import { publishMs } from '../schedules/schedule-record.ts';
import type { Schedule } from '../schedules/scheduled-run.ts';

/** Publishes the schedules of a worker's code as notes, so that other processes list them and refuse their names. */
export class DeclaredSchedules {
  readonly #core: RuntimeCore;
  readonly #notes: ScheduleNotes | undefined;
  readonly #schedules: readonly Schedule[];
  readonly #last = new Map<string, number>();
  #publishAt = Number.NEGATIVE_INFINITY;

  constructor(core: RuntimeCore, schedules: readonly Schedule[]) {
    this.#core = core;
    this.#notes = ScheduleNotes.of(core.store.storage);
    this.#schedules = schedules;
  }

  /** Records a start, and publishes it at the next `publish`. */
  started(name: string, dueMs: number): void {
    this.#last.set(name, dueMs);
    this.#publishAt = Number.NEGATIVE_INFINITY;
  }

  /** Publishes all schedules once a minute, and after a start. A stored schedule with the same name stays. */
  async publish(): Promise<void> {
    const { clock } = this.#core;
    if (!this.#notes || this.#schedules.length === 0 || clock.monotonic() < this.#publishAt) return;
    const at = clock.now();
    for (const { name, workflow, missed, cron, timeZone, ...schedule } of this.#schedules) {
      const nextMs = schedule.next(at);
      await this.#notes.change(name, (found, isTaken) => {
        if (isTaken && found?.kind !== 'declared') return 'keep';
        const lastMs = Math.max(
          this.#last.get(name) ?? Number.NEGATIVE_INFINITY,
          found?.kind === 'declared' ? (found.lastMs ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY,
        );
        return {
          kind: 'declared',
          name,
          workflow: workflow.id,
          missed,
          ...(cron === undefined ? {} : { cron }),
          ...(timeZone === undefined ? {} : { timeZone }),
          ...(Number.isFinite(lastMs) ? { lastMs } : {}),
          ...(nextMs === undefined ? {} : { nextMs }),
          at,
        };
      });
    }
    this.#publishAt = clock.monotonic() + publishMs;
  }
}
