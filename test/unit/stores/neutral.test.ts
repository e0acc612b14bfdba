import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const bundle = async (entry: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${entry}'`, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral', // a `node:` import would fail here
    mainFields: ['module', 'main'],
    conditions: ['@agent-machines/source'],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
};

describe('stores without Node', () => {
  it.each(['stores', 'stores/durable-object', 'stores/indexeddb'])('bundles agent-machines/%s without node:sqlite', async (entry) => {
    expect(await bundle(`agent-machines/${entry}`)).not.toContain('node:sqlite');
  });

  it('names an owner on a platform without processes', async () => {
    const code = `const process = undefined; const globalThis = {}; ${await bundle('agent-machines/stores')}`;
    const { createRunStore } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as typeof import('agent-machines/stores');
    const store = createRunStore({ heads: () => [] } as never);
    expect(store.mayLive('anybody')).toBe(true);
  });
});
