// One process of the question `approval`. Its task is JSON in its argument, and it prints a sample as JSON.
import { appendFileSync, readFileSync } from 'node:fs';
import { summary } from '../engine/statistics.ts';
import { openPeer, type PeerName } from './peer.ts';

export type PeerTask = { readonly peer: PeerName; readonly connectionString: string } & (
  | { readonly what: 'cost'; readonly warmUps: number; readonly runs: number }
  | { readonly what: 'die' | 'recover'; readonly id: string; readonly ledger: string }
);

const topic = 'Otters';
const text = 'Otters hold hands while they sleep.';
const assertText = (made: string): void => {
  if (made !== text) throw new Error(`The run returned ${JSON.stringify(made)}.`);
};

const task = JSON.parse(process.argv[2] ?? '') as PeerTask;
const { peer: name, connectionString } = task;
if (task.what === 'cost') {
  let published = 0;
  const publish = (): null => {
    published++;
    return null;
  };
  const peer = await openPeer(name, { connectionString, publish, isPublished: () => true });
  const ms: number[] = [];
  for (let run = -task.warmUps; run < task.runs; run++) {
    const id = `run-${run + task.warmUps}`;
    const before = performance.now();
    await peer.start(id, topic);
    assertText(await peer.answer(id));
    if (run >= 0) ms.push(performance.now() - before);
  }
  if (published !== task.warmUps + task.runs) throw new Error(`${published} texts were published.`);
  await peer.close();
  console.log(JSON.stringify({ ms: summary(ms).median }));
} else {
  const { id, ledger, what } = task;
  const publish = (): null => {
    appendFileSync(ledger, `${id}\n`);
    if (what === 'die') process.kill(process.pid, 'SIGKILL');
    return null;
  };
  const peer = await openPeer(name, { connectionString, publish, isPublished: () => readFileSync(ledger, 'utf8').includes(id) });
  if (what === 'die') {
    await peer.start(id, topic);
    await peer.answer(id);
    throw new Error('It is still alive.');
  }
  assertText(await peer.recover(id, topic));
  await peer.close();
  console.log('{}');
}
process.exit(); // what a peer leaves open is not measured
