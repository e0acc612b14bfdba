// A machine that loses its power (F05).
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { startChild } from '../fixtures/child.ts';
import type { Fault } from './fault.ts';
import { type DiskEvent, LosingDisk, readDiskEvents, watchedBy } from './traced-disk.ts';

const runId = 'r';
/** Enough for SQLite to bring its log back into the file by itself. */
const commits = 300;

/** F05: every write of a process is known, with what it has synced and what it has said; after each of them the power may fail. */
export const powerLoss: Fault = {
  row: 'F05',
  what: 'the power fails: what was synced is there, anything else in part and in any order; the database opens, is sound, and holds all that was acknowledged',
  asked: 1_000,
  only: 'sqlite',
  needs: 'strace',
  async make({ count, random, progress, isLate = () => false }) {
    const folder = mkdtempSync(join(tmpdir(), 'faults-power-'));
    try {
      const events = await eventsOf(folder, 'full', Math.min(commits, 20 + count));
      const violations: string[] = [];
      let reached = 0;
      const cuts = cutsOf(events, count, random);
      for (const found of whatIsFound(events, cuts, random)) {
        violations.push(...(await lostIn(join(folder, `${reached}`), found)));
        reached++;
        progress?.(reached);
        if (isLate()) break;
      }
      // who asks for less has to lose something, or nothing of this could be seen
      const careless = await eventsOf(folder, 'normal', 20);
      let losses = 0;
      for (const found of whatIsFound(careless, cutsOf(careless, 10, random), random))
        if ((await lostIn(join(folder, 'careless'), found)).length > 0) losses++;
      if (losses === 0) violations.push('nothing was lost where commits do not wait for the disk');
      return { reached, violations, seen: { writes: events.length, 'lost of 10 without waiting for the disk': losses } };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function eventsOf(folder: string, durability: 'full' | 'normal', some: number): Promise<readonly DiskEvent[]> {
  const place = mkdtempSync(join(folder, `${durability}-`));
  const trace = `${place}.trace`;
  const args = ['commit-some', join(place, 'a.db'), runId, `${some}`, durability];
  const child = startChild('store-process.ts', args, { by: watchedBy(trace) });
  await child.line(some - 1);
  await child.ended;
  const events = readDiskEvents(trace, place);
  rmSync(trace);
  return events;
}

/** So many places where the power fails: behind which event. */
function cutsOf(events: readonly DiskEvent[], count: number, random: () => number): readonly number[] {
  return Array.from({ length: count }, () => Math.floor(random() * events.length)).sort((a, b) => a - b);
}

interface Found {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly acknowledged: number;
  readonly where: string;
}

/** What is found after each cut. */
function* whatIsFound(events: readonly DiskEvent[], cuts: readonly number[], random: () => number): Generator<Found> {
  const disk = new LosingDisk();
  let acknowledged = 0;
  let next = 0;
  for (const [number, event] of events.entries()) {
    disk.take(event);
    if (event.does === 'say') acknowledged = Number(event.text);
    for (; cuts[next] === number; next++) {
      const part = [0, 0.5, 0.9, random()][next % 4] ?? 0;
      yield { files: disk.lose(() => random() < part), acknowledged, where: `behind event ${number} (${event.does})` };
    }
  }
}

/** What is wrong with what was found. */
async function lostIn(folder: string, { files, acknowledged, where }: Found): Promise<readonly string[]> {
  mkdirSync(folder);
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  const path = join(folder, 'a.db');
  try {
    const store = sqliteStore({ path });
    const length = (await store.read(runId)) ? (await store.journal(runId)).length : 0;
    await store.close();
    const db = new DatabaseSync(path);
    const said = db.prepare('PRAGMA integrity_check').all();
    db.close();
    return [
      ...(length === acknowledged || length === acknowledged + 1 ? [] : [`${where}: ${acknowledged} acknowledged, ${length} there`]),
      ...said.flatMap(({ integrity_check: line }) => (line === 'ok' ? [] : [`${where}: ${line}`])),
    ];
  } catch (cause) {
    return [`${where}: ${String(cause)}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
