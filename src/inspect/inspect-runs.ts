import { type InspectionEvent, type Observer, toObserver } from 'xstate';
import { PlacedStart } from '../runtime/migrated.ts';
import type { InspectedDrive, RunInspection } from '../runtime/run-inspection.ts';
import { activePaths } from './active-paths.ts';
import { type CensorOptions, createCensor } from './censor.ts';
import { type Mirror, type MirroredEvent, startMirror } from './mirror.ts';
import { createShownEvents } from './shown-event.ts';

/** What XState's `createActor(machine, { inspect })` takes. */
export type Inspect = Observer<InspectionEvent> | ((event: InspectionEvent) => void);

export interface InspectOptions extends CensorOptions {
  /**
   * Is told `@xstate.actor`, `@xstate.event`, `@xstate.microstep`, `@xstate.snapshot` and `@xstate.action` of every machine. One that
   * throws is told no more: its `error` is told what it threw, or, when there is none, the console.
   */
  readonly inspect: Inspect;
}

/** So many suspended runs are remembered; one that was forgotten is shown from its beginning when it goes on. */
const maxSuspended = 200;

/** A mirror, and how many events it was told. */
interface Watched {
  readonly mirror: Mirror;
  told: number;
}

/**
 * Shows runs to an XState inspector: the events that a live actor of the same machine shows when the same happens to it, in its order
 * and shape. An actor's id is the id of its run, or `run/state#visit` of a workflow in a node.
 *
 * @example createRuntime({ inspect: inspectRuns({ inspect: createWebSocketInspector().inspect }) })
 */
export function inspectRuns({ inspect, ...censorOptions }: InspectOptions): RunInspection {
  const tell = untilItThrows(toObserver(inspect));
  const show = createShownEvents(createCensor(censorOptions));
  const runs = new Map<string, Map<string, Watched>>();
  const suspended = new Set<string>();

  const watch = ({ runId, workflow, input, node }: InspectedDrive): Watched => {
    const watched = runs.get(runId) ?? new Map<string, Watched>();
    runs.set(runId, watched);
    const known = watched.get(node ?? '');
    if (known) return known;
    if (node !== undefined) for (const [other, { mirror }] of watched) if (isVisitOf(pathOfVisit(node), other)) mirror.stop();
    const id = node === undefined ? runId : `${runId}/${node}`;
    const mirror = startMirror({ machine: workflow.machine, input, id, inspect: (event) => tell(() => show(event)) });
    const made = { mirror, told: 0 };
    watched.set(node ?? '', made);
    return made;
  };

  /** Stops the workflows in nodes that the machine has left: nobody drives them any more. */
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
      if (drive.input instanceof PlacedStart) return () => {}; // no actor of XState begins in the middle
      suspended.delete(drive.runId);
      const watched = watch(drive);
      let { told } = watched; // a run that goes on goes through its journal again
      return (event: MirroredEvent) => {
        if (told > 0) {
          told--;
          return;
        }
        watched.told++;
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

/** `state#visit` without its visit. */
const pathOfVisit = (node: string): string => node.slice(0, node.lastIndexOf('#'));

const isVisitOf = (path: string, node: string): boolean => node !== '' && pathOfVisit(node) === path;

/** Whether a node belongs to the machine whose nodes have this prefix, and to none inside it. */
const isInside = (prefix: string, node: string): boolean =>
  node !== '' && node.startsWith(prefix) && !node.slice(prefix.length).includes('/');

/** Whoever looks on must not fail a run. */
function untilItThrows({ next, error }: Observer<InspectionEvent>): (event: () => InspectionEvent) => void {
  let told = true;
  return (event) => {
    if (!told) return;
    try {
      next?.(event());
    } catch (cause) {
      told = false;
      if (error) error(cause);
      else console.error('An inspector of runs has thrown, and is told no more:', cause);
    }
  };
}
