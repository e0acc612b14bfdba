import { type InspectionEvent, type Observer, toObserver } from 'xstate';
import { PlacedStart } from '../engine/drive/migrated.ts';
import type { InspectedDrive, RunInspection } from '../engine/drive/run-inspection.ts';
import { activePaths } from './active-paths.ts';
import { type CensorOptions, createCensor } from './censor.ts';
import { createShownEvents } from './shown-event.ts';
import { type Mirror, type MirroredEvent, startXstateMirror } from './xstate-mirror.ts';

/** Value of the option `inspect` of XState's `createActor`. */
export type Inspect = Observer<InspectionEvent> | ((event: InspectionEvent) => void);

export interface InspectOptions extends CensorOptions {
  /**
   * Receives `@xstate.actor`, `@xstate.event`, `@xstate.microstep`, `@xstate.snapshot` and `@xstate.action` of every machine. After it
   * throws, it receives nothing more; its `error` gets the thrown value, or else the console does.
   */
  readonly inspect: Inspect;
}

/** Maximum number of suspended runs to keep. An evicted run is shown from its start when it resumes. */
const maxSuspended = 200;

interface MirroredRun {
  readonly mirror: Mirror;
  received: number;
}

/**
 * Shows runs to an XState inspector. It emits the same events as a live actor of the machine, in the same order and shape. The id of an
 * actor is the id of its run, or `run/state#visit` for a workflow inside a node.
 *
 * @example createRuntime({ inspect: inspectRuns({ inspect: createWebSocketInspector().inspect }) })
 */
export function inspectRuns({ inspect, ...censorOptions }: InspectOptions): RunInspection {
  const tell = untilItThrows(toObserver(inspect));
  const show = createShownEvents(createCensor(censorOptions));
  const runs = new Map<string, Map<string, MirroredRun>>();
  const suspended = new Set<string>();

  const watch = ({ runId, workflow, input, node }: InspectedDrive): MirroredRun => {
    const watched = runs.get(runId) ?? new Map<string, MirroredRun>();
    runs.set(runId, watched);
    const known = watched.get(node ?? '');
    if (known) return known;
    if (node !== undefined) for (const [other, { mirror }] of watched) if (isVisitOf(pathOfVisit(node), other)) mirror.stop();
    const id = node === undefined ? runId : `${runId}/${node}`;
    const mirror = startXstateMirror({ machine: workflow.machine, input, id, inspect: (event) => tell(() => show(event)) });
    const made = { mirror, received: 0 };
    watched.set(node ?? '', made);
    return made;
  };

  /** Stops the workflows inside nodes that the machine has left. */
  const stopLeft = ({ runId, node }: InspectedDrive, { actor }: Mirror): void => {
    const watched = runs.get(runId);
    if (!watched || watched.size === 1) return;
    const prefix = node === undefined ? '' : `${node}/`;
    const active = activePaths(actor.getSnapshot().value).map((path) => `${prefix}${path}`);
    for (const [inner, { mirror }] of watched) {
      if (!isInside(prefix, inner) || active.includes(pathOfVisit(inner))) continue;
      mirror.stop();
    }
  };

  return {
    begin(drive) {
      if (drive.input instanceof PlacedStart) return () => {}; // an XState actor cannot start in the middle
      suspended.delete(drive.runId);
      const watched = watch(drive);
      let { received: replayed } = watched; // a resumed run replays its journal, so these events are skipped
      return (event: MirroredEvent) => {
        if (replayed > 0) {
          replayed--;
          return;
        }
        watched.received++;
        watched.mirror.take(event);
        stopLeft(drive, watched.mirror);
      };
    },
    rest(runId, { status }) {
      if (status === 'waiting' || status === 'paused' || status === 'in_doubt') {
        suspended.add(runId);
        const [oldest] = suspended;
        if (suspended.size <= maxSuspended || oldest === undefined) return;
        suspended.delete(oldest);
        runs.delete(oldest);
        return;
      }
      for (const { mirror } of runs.get(runId)?.values() ?? []) mirror.stop();
      runs.delete(runId);
    },
  };
}

/** Removes the visit from `state#visit`. */
const pathOfVisit = (node: string): string => node.slice(0, node.lastIndexOf('#'));

const isVisitOf = (path: string, node: string): boolean => node !== '' && pathOfVisit(node) === path;

/** True when a node belongs directly to the machine with this prefix. */
const isInside = (prefix: string, node: string): boolean =>
  node !== '' && node.startsWith(prefix) && !node.slice(prefix.length).includes('/');

/** Isolates errors of the observer, which must not fail a run. */
function untilItThrows({ next, error }: Observer<InspectionEvent>): (event: () => InspectionEvent) => void {
  let works = true;
  return (event) => {
    if (!works) return;
    try {
      next?.(event());
    } catch (cause) {
      works = false;
      if (error) error(cause);
      else console.error('An inspector of runs threw and is detached:', cause);
    }
  };
}
