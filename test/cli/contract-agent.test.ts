import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { command, folder, ownProcess } from './command.ts';

const examples = 'machines/contract-agent/examples';

/** A folder with a contract and the standard contract that it deviates from. */
function desk(): string {
  const cwd = folder();
  for (const name of ['service.md', 'standard-service.md']) copyFileSync(join(examples, name), join(cwd, name));
  return cwd;
}
const ask = (cwd: string, ...args: readonly string[]) => command(cwd, ['run', 'contract-agent', ...args]);

describe('agent-machines run contract-agent', () => {
  it('answers from the contract, and shows its look-ups', async () => {
    const { code, stdout, stderr } = await ask(desk(), '--contract', 'service.md', '제15조의2는?');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^제15조의2\(선급금의 반환\)\n> ① /)]);
    expect(stderr).toMatch(/✓ scope_validator +in scope: names an article/);
    expect(stderr).toContain('get_article_by_index  {"article_numbers":["15의2"],"exhibit_numbers":[]}');
    expect(stderr).toContain('3 model calls');
  });

  it('remembers the contract and the conversation in a thread', async () => {
    const cwd = desk();
    await ask(cwd, '--contract', 'service.md', '--standard', 'standard-service.md', '--thread', 't1', '제22조 내용이 뭐야?');
    const second = await ask(cwd, '--thread', 't1', '그 참조항목들 내용 정리해서 보여줘봐');
    expect([second.code, second.stdout]).toEqual([0, expect.stringMatching(/제22조\(지체상금\)[\s\S]*제36조\(불가항력\)/)]);
    const third = await ask(cwd, '--thread', 't1', '제22조는 표준계약서와 어떻게 달라?');
    expect(third.stdout).toMatch(/제22조\(지체상금\) \(표준계약서: 제20조\(지체상금\)\).*1,000분의/);
  });

  it('exits with 0 out of scope, and calls nothing', async () => {
    const { code, stdout, stderr } = await ask(desk(), '--contract', 'service.md', '오늘 날씨 어때?');
    expect([code, stdout]).toEqual([0, expect.stringContaining('이 계약서에 관한 질문에만')]);
    expect(stderr).toContain('0 model calls');
  });

  it('exits with 2 without a contract, and with 1 if the file does not exist', async () => {
    const cwd = desk();
    const none = await ask(cwd, '제5조');
    expect([none.code, none.stdout, none.stderr]).toEqual([2, '', expect.stringContaining('--contract FILE')]);
    const missing = await ask(cwd, '--contract', 'other.md', '제5조');
    expect([missing.code, missing.stdout, missing.stderr]).toEqual([1, '', expect.stringMatching(/FILE_NOT_FOUND/)]);
  });

  it('lets a language model call the tools over the wire, and streams its answer', async () => {
    await using server = await startOpenaiServer();
    server.answer(
      {
        type: 'completion',
        toolCalls: [
          { id: 'c1', name: 'get_article_by_index', arguments: '{"article_numbers":["22"],"exhibit_numbers":[]}' },
          { id: 'c2', name: 'hybrid_search', arguments: '{"topics":[{"topic_name":"불가항력","queries":["불가항력"]}]}' },
        ],
      },
      { type: 'completion', text: '{"is_sufficient":true,"reasoning":"read","missing_info":null}' },
      { type: 'completion', text: '제22조에 따라 하루 1,000분의 2.5입니다.' },
    );
    const { code, stdout, stderr } = await command(desk(), [
      'run',
      'contract-agent',
      '--contract',
      'service.md',
      '--base-url',
      server.url,
      '--model',
      'm',
      '지체상금은?',
    ]);
    expect([code, stdout]).toEqual([0, '제22조에 따라 하루 1,000분의 2.5입니다.\n']);
    expect(stderr).toMatch(/execute_tools_parallel[\s\S]*cites 제22조\s/);
    const [plan, evaluate, answer] = server.requests.map(({ body }) => body);
    const offered = (plan?.tools ?? []) as { function: { name: string } }[];
    expect(offered.map((tool) => tool.function.name)).toEqual([
      'hybrid_search',
      'get_article_by_index',
      'get_article_by_title',
      'survey_contract',
    ]);
    expect(plan?.tool_choice).toBe('auto');
    expect(evaluate?.response_format).toMatchObject({ type: 'json_schema' });
    expect([answer?.stream, JSON.stringify(answer?.messages)]).toEqual([true, expect.stringContaining('1,000분의 2.5에 해당하는 금액')]);
  });

  it('resumes after a kill with the contract of its start', async () => {
    await using server = await startOpenaiServer();
    const cwd = desk();
    server.answer(
      {
        type: 'completion',
        toolCalls: [{ id: 'c1', name: 'get_article_by_index', arguments: '{"article_numbers":["22"],"exhibit_numbers":[]}' }],
      },
      { type: 'silence' },
    );
    const running = ownProcess(cwd, [
      'run',
      'contract-agent',
      '--contract',
      'service.md',
      '--base-url',
      server.url,
      '--model',
      'm',
      '지체상금은?',
    ]);
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    running.kill('SIGKILL');
    const killed = await running;
    const runId = /run (r_\w+)/.exec(killed.stderr)?.[1] ?? '';
    server.answer(
      { type: 'completion', text: '{"is_sufficient":true,"reasoning":"read","missing_info":null}' },
      { type: 'completion', text: '제22조입니다.' },
    );
    const resumed = await command(cwd, ['resume', runId]);
    expect([resumed.code, resumed.stdout]).toEqual([0, '제22조입니다.\n']);
    expect(server.requests).toHaveLength(4); // the plan was not asked for again
  });
});
