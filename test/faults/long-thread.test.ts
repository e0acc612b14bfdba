import { afterAll, expect, it } from 'vitest';
import { seeded } from '../fixtures/seeded.ts';
import { share } from '../fixtures/share.ts';
import { sqlitePlaces } from './fault-place.ts';
import { longThread } from './long-thread.ts';

const places = sqlitePlaces();
afterAll(() => places[Symbol.asyncDispose]());

it(`stores each message once, not the history before it: ${longThread.what}`, async () => {
  const count = share(300, 60);
  expect(await longThread.make({ places, count, random: seeded(1) })).toMatchObject({ violations: [], reached: count });
});
