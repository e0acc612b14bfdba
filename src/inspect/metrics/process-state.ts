import { systemClock } from '../../core/util/system-clock.ts';
import type { ReadName } from './definitions.ts';
import type { LabelledValue } from './prometheus-text.ts';

/** Values of the metrics that are read, as far as there are any. */
export type ReadValues = Partial<Readonly<Record<ReadName, readonly LabelledValue[]>>>;

/** Facts about the process, as far as the engine has them. */
export interface ProcessState {
  values(): ReadValues;
  close(): void;
}

/** Interval of the samples, in milliseconds. */
const intervalMs = 20;

/** All readers within this time see the same delays, so that a second scraper does not take them from the first. In milliseconds. */
const windowMs = 10_000;

/** Observes the event loop and the memory where there is Node, or an engine that offers the same. Elsewhere there are no values. */
export function observeProcess(): ProcessState {
  const loop = loopDelay();
  return {
    values: () => ({ ...loop?.values(), ...memoryValues() }),
    close: () => loop?.close(),
  };
}

function loopDelay(): ProcessState | undefined {
  try {
    // not an import, because servers on Workers have no such module
    const hooks = globalThis.process?.getBuiltinModule?.('node:perf_hooks');
    const histogram = hooks?.monitorEventLoopDelay({ resolution: intervalMs });
    if (!histogram) return undefined;
    histogram.enable();
    let values: ReadValues = {};
    let readAt = Number.NEGATIVE_INFINITY;
    return {
      values() {
        const now = systemClock.monotonic();
        if (now - readAt < windowMs || histogram.count === 0) return values;
        readAt = now;
        try {
          values = {
            loopDelayMedian: delay(histogram.percentile(50)),
            loopDelayHigh: delay(histogram.percentile(99)),
            loopDelayMax: delay(histogram.max),
          };
          histogram.reset();
        } catch {
          values = {}; // an engine may lack a part of it
        }
        return values;
      },
      close: () => void histogram.disable(),
    };
  } catch {
    return undefined; // Bun and Deno have the module, but not every function
  }
}

/** Node's histogram has the nanoseconds between two samples, so an idle loop shows the interval itself. */
const delay = (nanoseconds: number): readonly LabelledValue[] => only(Math.max(0, nanoseconds / 1e9 - intervalMs / 1000));

function memoryValues(): ReadValues {
  try {
    const { process } = globalThis;
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return { memory: only(rss), heap: only(heapUsed), cpu: only((user + system) / 1e6), uptime: only(process.uptime()) };
  } catch {
    return {}; // a browser has no process, and Workers have a part of it
  }
}

const only = (value: number): readonly LabelledValue[] => [{ labels: [], value }];
