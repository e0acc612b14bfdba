import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { command, folder, ownProcess } from './command.ts';

vi.setConfig({ testTimeout: 120_000 });
const token = 'the-token-of-the-environment';

describe('serve', () => {
  it("takes the token of the environment, does not print it, and counts wrong ones by the proxy's header", async () => {
    const args = ['serve', '--json', '--port', '0', '--address-header', 'x-real-ip'];
    const process = ownProcess(folder(), args, { AGENT_MACHINES_TOKEN: token });
    await process.sees('"url":"http://127.0.0.1:');
    const { url } = JSON.parse(await process.firstLine()) as { readonly url: string };
    const ask = async (address: string, sent: string): Promise<number> =>
      (await fetch(`${url}/api/runs`, { headers: { 'x-real-ip': address, authorization: `Bearer ${sent}` } })).status;
    const guesses = await Promise.all(Array.from({ length: 25 }, (_, index) => ask('192.0.2.1', `wrong-token-${index}`)));
    expect(guesses.filter((status) => status === 401)).toHaveLength(20);
    expect(await ask('192.0.2.1', token)).toBe(429);
    expect(await ask('192.0.2.2', token)).toBe(200);
    process.kill('SIGTERM');
    const { code, stdout, stderr } = await process;
    expect({ code, printed: JSON.parse(stdout) }).toEqual({ code: 0, printed: { url } });
    expect(stderr).not.toContain(token);
  });

  it('takes any limit by its name, from a flag before the config file', async () => {
    const cwd = folder();
    const limits = { reads: { perMinute: 3, burst: 3 }, streams: { perTenant: 2 } };
    writeFileSync(join(cwd, 'agent-machines.config.json'), JSON.stringify({ server: { limits } }));
    const process = ownProcess(cwd, ['serve', '--json', '--port', '0', '--limit', 'reads.burst=5', '--limit', 'bodyBytes=300'], {
      AGENT_MACHINES_TOKEN: token,
    });
    const { url } = JSON.parse(await process.firstLine()) as { readonly url: string };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const statuses: number[] = [];
    for (let count = 0; count < 6; count++) statuses.push((await fetch(`${url}/api/runs`, { headers })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const body = JSON.stringify({ workflow: 'plan-execute', input: { input: 'x'.repeat(400) } });
    expect((await fetch(`${url}/api/runs`, { method: 'POST', headers, body })).status).toBe(413);
    process.kill('SIGTERM');
    await process;
  });

  it('rejects a config file whose limits are none', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'agent-machines.config.json'), JSON.stringify({ server: { limits: { streams: { perTenant: 0 } } } }));
    const { code, stderr } = await command(cwd, ['serve', '--port', '0']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('server.limits of agent-machines.config.json is invalid');
    expect(stderr).toContain('limits.streams.perTenant');
  });

  it.each([
    ...['x=1', 'streams=4', 'streams.perTenant=0', 'bodyBytes', 'reads.burst=1e3', 'toString=1'].map(
      (limit) => [`the limit ${limit}`, ['--limit', limit], {}, `--limit "${limit}" is not NAME=NUMBER`] as const,
    ),
    ['an empty token of the environment', [], { AGENT_MACHINES_TOKEN: '' }, 'AGENT_MACHINES_TOKEN is shorter than 16 characters.'],
    [
      'a token of the environment with a line break',
      [],
      { AGENT_MACHINES_TOKEN: `${token}\n` },
      'AGENT_MACHINES_TOKEN has characters that a header cannot contain.',
    ],
    ['an open address without a token', ['--host', '0.0.0.0'], {}, 'Set AGENT_MACHINES_TOKEN or --token to at least 16 characters.'],
    [
      'what is no name of a header',
      ['--address-header', 'x real ip'],
      {},
      '--address-header "x real ip" is not the name of a header, such as x-real-ip.',
    ],
  ] as const)('rejects %s', async (_what, args, env, message) => {
    const { code, stderr } = await command(folder(), ['serve', '--port', '0', ...args], env);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
