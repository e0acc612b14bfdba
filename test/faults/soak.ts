import { setTimeout as pause } from 'node:timers/promises';
import { readNotes } from '../fixtures/history.ts';
import { type FaultPlaces, violationsAt } from './fault-place.ts';
import { type FaultyChild, faultyChild } from './faulty-child.ts';

export interface SoakOptions {
  readonly places: FaultPlaces;
  readonly runs: number;
  readonly threads: number;
  /** How long it takes at least: the runs are spread over it. In milliseconds. */
  readonly lastsMs: number;
  readonly random: () => number;
  /** @default nobody */
  readonly progress?: (said: string) => void;
}

export interface SoakReport {
  readonly runs: number;
  readonly done: number;
  readonly kills: number;
  readonly effects: number;
  readonly seconds: number;
  /** What the process that is never killed holds after a collection, over time, in MiB. */
  readonly heldMiB: readonly number[];
  readonly violations: readonly string[];
}

const killed = 2;
const atOnce = 16;
const output = 'a,b,c,d,yes,e';

/** Many runs in many threads, in three processes of which two are killed again and again. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { places, runs, threads, lastsMs, random, progress = () => {} } = options;
  const place = await places.create();
  await place.open().close();
  const begun = performance.now();
  const violations: string[] = [];
  const orphans: string[] = [];
  const heldMiB: number[] = [];
  let lives = 0;
  let kills = 0;
  let next = 0;
  let done = 0;
  const open = (name: string): Promise<FaultyChild> => faultyChild(place, { by: `${name}${lives++}` });
  const steady = await open('steady');
  const mortal = await Promise.all(Array.from({ length: killed }, () => open('mortal')));
  const any = (): FaultyChild => [steady, ...mortal][Math.floor(random() * (killed + 1))] ?? steady;

  /** Begins a run when it is its time, or goes on with one whose process has died. */
  const lane = async (): Promise<void> => {
    while (done < runs && violations.length === 0) {
      const orphan = orphans.shift();
      const isDue = next < runs && performance.now() - begun >= (next * lastsMs) / runs;
      if (orphan === undefined && !isDue) {
        await pause(10);
        continue;
      }
      const id = orphan ?? `r${next++}`;
      const reply = await (orphan === undefined ? any().call('start', 'keyed', id, threadOf(id, threads)) : any().call('live', id));
      const end = (reply?.result ?? {}) as { readonly status?: string; readonly output?: string };
      if (end.status === 'done') {
        done++;
        if (!String(end.output).endsWith(output)) violations.push(`${id} ended as ${JSON.stringify(end)}`);
      } else if (reply?.error?.code === 'RUN_UNKNOWN') {
        await any()
          .call('start', 'keyed', id, threadOf(id, threads))
          .then(() => orphans.push(id)); // it died before it was begun
      } else {
        await pause(20);
        orphans.push(id);
      }
    }
  };
  const killer = async (): Promise<void> => {
    while (done < runs && violations.length === 0) {
      await pause(500 + Math.floor(random() * 3_000));
      const number = Math.floor(random() * killed);
      const child = mortal[number];
      const born = await open('mortal'); // there is always one to ask
      mortal[number] = born;
      child?.kill('SIGKILL');
      await child?.ended;
      kills++;
    }
  };
  const watcher = async (): Promise<void> => {
    while (done < runs && violations.length === 0) {
      const reply = await steady.call('memory');
      const { held = Number.NaN } = (reply?.result ?? {}) as { readonly held?: number };
      heldMiB.push(Math.round((10 * held) / 2 ** 20) / 10);
      progress(`${done} of ${runs} runs, ${kills} kills, ${heldMiB.at(-1)} MiB`);
      await pause(lastsMs / 40);
    }
  };
  await Promise.all([killer(), watcher(), ...Array.from({ length: atOnce }, lane)]);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  for (const child of [steady, ...mortal]) {
    child.kill('SIGKILL');
    await child.ended;
  }
  const store = place.open();
  for (let number = 0; number < Math.min(threads, runs); number++) {
    const thread = await store.readThread(`t${number}`);
    const members = Math.floor((runs - number - 1) / threads) + 1;
    if (thread?.revision !== members) violations.push(`thread t${number} has ${thread?.revision} of ${members} turns`);
  }
  await store.close();
  violations.push(...(await violationsAt(place)), ...(await place.unsound()), ...growth(heldMiB));
  const effects = readNotes(place.notes).filter(({ op }) => op === 'effect').length;
  return { runs, done, kills, effects, seconds, heldMiB, violations };
}

const threadOf = (id: string, threads: number): string => `t${Number(id.slice(1)) % threads}`;

/** Memory is flat when the middle of the last third of the looks is at most a fifth and 4 MiB above that of the second third: the first one warms up. */
function growth(held: readonly number[]): readonly string[] {
  const third = Math.floor(held.length / 3);
  if (third < 3) return [];
  const middle = (some: readonly number[]): number => [...some].sort((a, b) => a - b)[Math.floor(some.length / 2)] ?? 0;
  const [before, after] = [middle(held.slice(third, 2 * third)), middle(held.slice(-third))];
  return after > before * 1.2 + 4 ? [`memory has grown from ${before} to ${after} MiB`] : [];
}
