import { execFileSync } from 'node:child_process';
import type { Json } from 'agent-machines';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { secondVerdict as noSecond } from '../../../../src/core/schema/one-verdict.ts';
import { secondVerdict } from '../../../../src/core/schema/second-verdict.ts';

const schema = { type: 'object', properties: { code: { type: 'string', pattern: '^[a-z]+$' } }, required: ['code'] };

it.each<[Json, string | undefined]>([
  [{ code: 'ab' }, undefined],
  [{ code: 'AB' }, '/code pattern'],
  [{}, ' required'],
])('says of %j what Ajv says', (value, expected) => {
  const found = secondVerdict(schema)(value);
  expect(found && `${found.path} ${found.keyword}`).toBe(expected);
  expect(noSecond(schema)(value)).toBeUndefined();
});

it('refuses a schema that cannot be compiled', () => {
  expect(secondVerdict({ $ref: '#/nowhere' })({})).toMatchObject({
    keyword: 'schema',
    message: expect.stringContaining('cannot be checked'),
  });
});

it("generates code of about the schema's length, however many names it requires", () => {
  const names = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
  const lengths: number[] = [];
  const made = globalThis.Function;
  onTestFinished(() => {
    globalThis.Function = made;
  });
  globalThis.Function = new Proxy(made, {
    construct(target, args: string[]) {
      lengths.push(args.join('').length);
      return Reflect.construct(target, args);
    },
  });
  for (const [members, needed] of [
    [1, 20_000],
    [300, 150],
    [300, 20],
  ] as const) {
    const large = { properties: Object.fromEntries(names(members, 'p').map((name) => [name, { required: names(needed, 'r') }])) };
    expect(secondVerdict(large)({})).toBeUndefined();
    expect(secondVerdict(large)({ p0: {} })).toMatchObject({ path: '/p0', keyword: 'required' });
    expect(lengths.reduce((sum, length) => sum + length)).toBeLessThan(20 * JSON.stringify(large).length);
    lengths.length = 0;
  }
});

it('leaves the verdict to the first validator if code generation is forbidden', () => {
  const program = `const { parsePlan } = await import('agent-machines/tools');
    const tools = [{ name: 'say', inputSchema: ${JSON.stringify({ ...schema, additionalProperties: false })} }];
    const say = (input) => { try { return parsePlan({ steps: [{ step_id: 1, tool: 'say', input }] }, { tools }).steps.length; } catch (e) { return e.code; } };
    console.log(JSON.stringify([say({ code: 'ab' }), say({ code: 'AB' })]));`;
  const flags = ['--disallow-code-generation-from-strings', '--conditions=@agent-machines/source', '--input-type=module', '-e', program];
  expect(execFileSync(process.execPath, flags, { encoding: 'utf8' }).trim()).toBe('[1,"PLAN_REJECTED"]');
});

it('adds nothing to a browser bundle, where only the first validator runs', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export { parsePlan } from 'agent-machines/tools'", resolveDir: process.cwd() },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['@agent-machines/source'],
    write: false,
  });
  expect(outputFiles[0]?.text).not.toContain('schemaEnv');
});
