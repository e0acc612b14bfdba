// A client that comes back at any event is given exactly the rest.
import {
  a2aEncoder,
  agUiEncoder,
  aiSdkEncoder,
  encodeRest,
  langGraphEncoder,
  openaiChatEncoder,
  openaiResponsesEncoder,
  type ProtocolEvent,
  type RunEncoder,
} from 'agent-machines/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { chartData, type RecordedRun, recordRuns } from '../../../fixtures/recorded-runs.ts';

const encoders: Readonly<Record<string, () => RunEncoder<unknown>>> = {
  aiSdkEncoder,
  agUiEncoder,
  openaiChatEncoder,
  openaiResponsesEncoder,
  langGraphEncoder,
  a2aEncoder,
};

let runs: readonly RecordedRun[];
beforeAll(async () => {
  runs = await recordRuns();
});

describe.each(Object.entries(encoders))('%s', (_, create) => {
  it('encodes equal events equally', () => {
    for (const { name, events } of runs) expect(encodeRest(create(), events), name).toEqual(encodeRest(create(), structuredClone(events)));
  });

  it('encodes every run the same from any cut', () => {
    for (const { name, events } of runs) {
      const whole = encodeRest(create(), events);
      expect(whole.length, name).toBeGreaterThan(0);
      for (const cut of new Set(events.map(({ seq }) => seq))) {
        const isBefore = (event: ProtocolEvent): boolean => event.type !== 'rest' && event.seq <= cut;
        // numbers are given again after a crash: who comes back was not shown what is void
        if (events.findLastIndex(isBefore) !== events.filter(isBefore).length - 1) continue;
        const before = encodeRest(create(), events.filter(isBefore));
        expect([...before, ...encodeRest(create(), events, cut)], `${name} at ${cut}`).toEqual(whole);
      }
    }
  });

  it('names the files of a tool instead of sending them', () => {
    const { events = [] } = runs.find(({ name }) => name === 'a call that shows a file') ?? {};
    const encoded = JSON.stringify(encodeRest(create(), events));
    expect(encoded).not.toContain(chartData);
    expect(encoded).toContain('It rises.');
    if (create === aiSdkEncoder || create === agUiEncoder) expect(encoded).toContain('[attached: a.png, image/png, 2999 bytes]');
  });

  it('encodes the answer without live-only events', () => {
    for (const { name, events } of runs) {
      const end = events.at(-1);
      const output = end && 'output' in end ? end.output : undefined;
      if (typeof output !== 'object' || output === null || !('answer' in output)) continue;
      const stored = events.filter(({ type }) => type !== 'token' && type !== 'custom');
      expect(JSON.stringify(encodeRest(create(), stored)), name).toContain(JSON.stringify(output.answer).slice(1, -1));
    }
  });
});
