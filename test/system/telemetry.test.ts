// Spans as the SDK of OpenTelemetry makes and exports them: a process that is killed, an exporter that hangs, the program of the guide.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { TracerProvider } from '@opentelemetry/api';
import { createRuntime, memoryStore } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { runIdGenerator, tracedStore } from 'agent-machines/telemetry';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startChild } from '../fixtures/child.ts';
import { installedFile, installFolder } from './install-folder.ts';

interface SdkSpan {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly ended: boolean;
  readonly duration: readonly [number, number];
  readonly parentSpanContext?: { readonly spanId: string };
  spanContext(): { readonly spanId: string; readonly traceId: string };
}
interface Sdk {
  readonly BasicTracerProvider: new (options: object) => TracerProvider & { forceFlush(options?: object): Promise<void> };
  readonly SimpleSpanProcessor: new (exporter: object) => object;
  readonly BatchSpanProcessor: new (exporter: object, options?: object) => object;
  readonly InMemorySpanExporter: new () => { getFinishedSpans(): SdkSpan[] };
  readonly TraceIdRatioBasedSampler: new (ratio: number) => object;
}

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 }); // an installation, and processes on a busy machine

const home = mkdtempSync(join(tmpdir(), 'telemetry-'));
/** The SDK in one file: what resolves packages here prefers their files for bundlers, which Node cannot load. */
const sdkFile = join(home, 'sdk.mjs');
/** Inside the repository, so that the program finds the package by its own name. */
const program = 'test/.docs-telemetry';
let sdk: Sdk;
beforeAll(async () => {
  installFolder('telemetry');
  const entryPoints = [fileURLToPath(installedFile('telemetry', '@opentelemetry/sdk-trace-base/build/esm/index-shim.js'))];
  await build({
    entryPoints,
    outfile: sdkFile,
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'esm',
    logLevel: 'error',
  });
  sdk = (await import(pathToFileURL(sdkFile).href)) as Sdk;
  mkdirSync(program, { recursive: true });
});
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
  rmSync(program, { recursive: true, force: true });
});

const finish = async (options: object): Promise<unknown> => {
  const tracerProvider = new sdk.BasicTracerProvider(options);
  const runtime = createRuntime({ store: tracedStore(memoryStore(), { tracerProvider }) });
  return (await runtime.start(planExecute(), { input: '12 * 30' }).result).status;
};

describe('with the SDK', () => {
  it.each([
    ['its own ids', {}],
    ['ids of runs', { idGenerator: runIdGenerator() }],
  ])('a run is one tree of spans: %s', async (_, options) => {
    const exporter = new sdk.InMemorySpanExporter();
    expect(await finish({ ...options, spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] })).toBe('done');
    const spans = exporter.getFinishedSpans();
    expect(spans.map(({ name }) => name)).toContain('plan plan_execute');
    const ids = spans.map((span) => span.spanContext().spanId);
    expect(new Set(ids).size).toBe(spans.length);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    const roots = spans.filter(({ parentSpanContext }) => !parentSpanContext);
    expect(roots.map(({ name }) => name)).toEqual(['invoke_workflow plan_execute']);
    expect(spans.every(({ parentSpanContext }) => !parentSpanContext || ids.includes(parentSpanContext.spanId))).toBe(true);
    // a time that the SDK had misread would be years away
    for (const { duration } of spans) expect(duration[0]).toBeLessThan(3_600);
  });

  it('the sampler of the user decides', async () => {
    const exporter = new sdk.InMemorySpanExporter();
    const spanProcessors = [new sdk.SimpleSpanProcessor(exporter)];
    expect(await finish({ sampler: new sdk.TraceIdRatioBasedSampler(0), spanProcessors })).toBe('done');
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it.each([
    ['never answers', () => {}],
    [
      'throws',
      () => {
        throw new Error('The exporter is broken.');
      },
    ],
    ['fails', (_: unknown, done: (result: object) => void) => done({ code: 1, error: new Error('No network.') })],
  ])('an exporter that %s leaves the run unchanged', async (_, send) => {
    const exporter = { export: send, shutdown: () => new Promise(() => {}), forceFlush: () => new Promise(() => {}) };
    expect(await finish({ spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] })).toBe('done');
    expect(
      await finish({ spanProcessors: [new sdk.BatchSpanProcessor(exporter, { maxExportBatchSize: 1, scheduledDelayMillis: 1 })] }),
    ).toBe('done');
  });
});

describe('a killed process', () => {
  it('leaves a trace that the next one completes: each committed node once, and no span without its parent', async () => {
    const [database, spansFile] = [join(home, 'agents.db'), join(home, 'spans.jsonl')];
    const first = startChild('traced-process.ts', [database, sdkFile, spansFile]);
    const runId = await first.line(0);
    first.kill('SIGKILL');
    await first.ended;
    const second = startChild('traced-process.ts', [database, sdkFile, spansFile, runId]);
    expect(await second.line(0)).toBe('done');
    await second.ended;
    const spans = readFileSync(spansFile, 'utf8')
      .trim()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { name: string; spanId: string; traceId: string; parent?: string; attributes: Record<string, unknown> },
      );
    expect(
      spans.map(({ name, attributes }) => `${name}${'agent_machines.interrupted' in attributes ? ' (interrupted)' : ''}`).sort(),
    ).toEqual(['first', 'invoke_workflow log', 'invoke_workflow log (interrupted)', 'second', 'second (interrupted)']);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    expect(spans.filter(({ parent }) => parent !== undefined && !spans.some(({ spanId }) => spanId === parent))).toEqual([]);
  });
});

describe('docs/guides/telemetry.md', () => {
  it('has a program that prints its spans', async () => {
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/guides/telemetry.md', 'utf8')) ?? [];
    expect(code.trim().split('\n').length).toBeLessThanOrEqual(15);
    writeFileSync(join(program, 'program.mjs'), code.replace("'@opentelemetry/sdk-trace-base'", `'${sdkFile}'`));
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@agent-machines/source', join(program, 'program.mjs')]);
    expect(stdout).toContain("name: 'invoke_workflow plan_execute'");
    expect(stdout).toContain("name: 'execute_tool calculator'");
  });
});
