import type { ChatMessage } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callIdForm, callIdForms, wireNames } from '../../../../src/models/openai/wire-names.ts';
import { codePoint } from '../../../fixtures/code-point.ts';

const toolsOf = (names: readonly string[]) => names.map((name) => ({ name, description: '', inputSchema: { type: 'object' } }));
const calling = (names: readonly string[]): ChatMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: names.map((name) => ({ id: name, name, arguments: '{}' })),
});

describe('wireNames', () => {
  it('keeps a name that the provider supports', () => {
    const { toWire, fromWire } = wireNames({ tools: toolsOf(['a', 'A-z_09', 'x'.repeat(64)]), messages: [] });
    for (const name of ['a', 'A-z_09', 'x'.repeat(64)]) expect([toWire(name), fromWire(name)]).toEqual([name, name]);
  });

  it('replaces dots with underscores, and separates names that would collide', () => {
    expect(wireNames({ tools: toolsOf(['github.issues']), messages: [] }).toWire('github.issues')).toBe('github_issues');
    const { toWire, fromWire } = wireNames({ tools: toolsOf(['a.b', 'a_b', 'a-b', 'a..b', 'a__b']), messages: [] });
    expect(toWire('a_b')).toBe('a_b');
    expect(toWire('a__b')).toBe('a__b');
    expect(toWire('a.b')).toMatch(/^a_b_[0-9a-f]{20}$/);
    expect(fromWire(toWire('a.b'))).toBe('a.b');
    expect(fromWire(toWire('a..b'))).toBe('a..b');
  });

  it('keeps an unknown name of the model for the gate', () => {
    expect(wireNames({ tools: toolsOf(['a.b']), messages: [] }).fromWire('shred')).toBe('shred');
  });

  it.each(['a.b', `${'x'.repeat(70)}.y`])('finds a name for %s when its candidates are taken', (name) => {
    const tools = [name];
    for (let round = 0; round < 5; round++) {
      const { toWire, fromWire } = wireNames({ tools: toolsOf(tools), messages: [] });
      expect(new Set(tools.map(toWire)).size).toBe(tools.length);
      expect(tools.map((one) => fromWire(toWire(one)))).toEqual(tools);
      tools.push(toWire(name));
    }
  });

  it('are reversible, unique and independent of the order for all names of tools and past calls', () => {
    const few = fc.string({ unit: fc.constantFrom('a', '.', '_', '-'), minLength: 1, maxLength: 4 });
    const long = fc.tuple(few, few).map(([start, end]) => `${start}${'x'.repeat(66)}${end}`);
    const odd = fc.string({ unit: codePoint, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(few, long), { maxLength: 20 }),
        fc.array(fc.oneof(few, long, odd), { maxLength: 10 }),
        (tools, called) => {
          const { toWire, fromWire } = wireNames({ tools: toolsOf(tools), messages: [calling(called)] });
          const names = [...new Set([...tools, ...called])];
          expect(new Set(names.map(toWire)).size).toBe(names.length);
          for (const name of names) {
            expect(toWire(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
            expect(fromWire(toWire(name))).toBe(name);
          }
          const other = wireNames({ tools: toolsOf(tools.toReversed()), messages: [calling(called.toReversed())] });
          expect(names.map(other.toWire)).toEqual(names.map(toWire));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('wireNames: call ids', () => {
  const nine = callIdForm('api.mistral.ai', 'any', callIdForms.completions);

  it.each([
    ['api.mistral.ai', 'any'],
    ['localhost:8000', 'mistralai/Devstral-Small'],
    ['localhost:8000', 'mixtral:8x7b'],
  ])('are nine letters and digits for Mistral: %s %s', (provider, model) => {
    const form = callIdForm(provider, model, callIdForms.completions);
    expect(wireNames({ messages: [calling(['call_0fypS1hVX'])] }, form).callId('call_0fypS1hVX')).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  it('stay unchanged if the provider supports them', () => {
    const ids = ['call_0fypS1hVX', 'functions.get_weather:0', 'x'.repeat(40)];
    const { callId } = wireNames({ messages: [calling(ids)] }, callIdForm('api.moonshot.ai', 'kimi-k2', callIdForms.completions));
    expect(ids.map(callId)).toEqual(ids);
  });

  it('are valid, unique, equal in call and result, and stable while the conversation grows', () => {
    const id = fc.oneof(fc.string({ unit: codePoint, maxLength: 50 }), fc.stringMatching(/^[a-f0-9]{9}$/), fc.constant(''));
    fc.assert(
      fc.property(fc.uniqueArray(id, { maxLength: 20 }), fc.constantFrom(nine, ...Object.values(callIdForms)), (ids, form) => {
        const results = ids.map((callId): ChatMessage => ({ role: 'tool', callId, content: '' }));
        const { callId } = wireNames({ messages: [calling(ids), ...results] }, form);
        expect(new Set(ids.map(callId)).size).toBe(ids.length);
        for (const one of ids) {
          expect(callId(one)).toMatch(form);
          if (form.test(one)) expect(callId(one)).toBe(one);
        }
        const earlier = wireNames({ messages: [calling(ids.slice(0, 3).toReversed())] }, form);
        for (const one of ids.slice(0, 3)) expect(earlier.callId(one)).toBe(callId(one));
      }),
    );
  });

  it('differ when a call of the provider already has the candidate', () => {
    const { callId } = wireNames({ messages: [calling(['call_1'])] }, nine);
    const taken = callId('call_1');
    const again = wireNames({ messages: [calling(['call_1', taken])] }, nine);
    expect(again.callId(taken)).toBe(taken);
    expect(again.callId('call_1')).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(again.callId('call_1')).not.toBe(taken);
  });
});
