import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from 'agent-machines';
import { expect, it } from 'vitest';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

it.each([true, false])('keeps nothing of cancelled timers with different delays: background %s', (background) => {
  const heldBytes = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const count = 50_000;
  const before = heldBytes();
  for (let number = 0; number < count; number++) systemClock.schedule(600_000 + number, () => {}, { background })();
  expect((heldBytes() - before) / count).toBeLessThan(40);
});

it('calls back once, and never after its cancellation', async () => {
  const called: string[] = [];
  systemClock.schedule(2, () => called.push('cancelled'), { background: true })();
  await new Promise<void>((resolve) => {
    systemClock.schedule(1, () => called.push('called'), { background: true });
    systemClock.schedule(5, resolve);
  });
  expect(called).toEqual(['called']);
});
