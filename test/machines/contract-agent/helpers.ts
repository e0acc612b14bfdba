import { createRuntime, type RunStore } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import {
  type ContractAgentInput,
  type ContractAgentOptions,
  type ContractAgentOutput,
  contractAgent,
} from 'agent-machines/machines/contract-agent';
import { type Script, scriptedModel } from 'agent-machines/models';
import { type WatchedRun, watchRun } from '../../fixtures/watch-run.ts';

const text = `# 데이터 가공 용역계약서

## 제1장 총칙

제1조(목적) 이 계약은 한빛물산(이하 "갑")이 누리데이터(이하 "을")에게 맡기는 데이터 가공 용역에 필요한 사항을 정한다.

제2조(계약기간) ① 계약기간은 2026년 3월 1일부터 2027년 2월 28일까지로 한다.
② 기간이 끝나기 30일 전까지 어느 쪽도 반대하지 않으면 1년씩 갱신된다.

제3조(대금) ① 갑은 을에게 총 6,000만원을 지급한다.
② 갑은 제4조에 따른 검수를 마친 날부터 14일 이내에 지급한다.

## 제2장 이행

제4조(검수) ① 갑은 결과물을 받은 날부터 10일 이내에 검수한다.
② 불합격이면 을은 7일 이내에 다시 제출한다.

제5조(지체상금) 을이 납기를 넘기면 하루마다 대금의 1,000분의 2를 낸다. 다만, 제8조의 경우는 예외로 한다.

제6조 삭제

제7조(비밀유지) 양 당사자는 알게 된 비밀을 계약이 끝난 뒤 3년 동안 지킨다.

제8조(불가항력) 천재지변처럼 어느 쪽의 잘못도 아닌 사유로 늦어지면 책임을 지지 않는다.

제9조(손해배상) 계약을 어긴 당사자는 상대방의 손해를 배상한다. 한도는 제3조의 대금으로 한다.

제10조(해지) 당사자 한쪽이 계약을 어기고 14일 안에 고치지 않으면 상대방은 해지할 수 있다.

제10조의2(해지의 효과) 해지되면 을은 그때까지의 결과물을 넘기고, 갑은 한 만큼의 대금을 정산한다.

별지 1 납품 일정

1. 1차: 2026년 6월 30일
2. 2차: 2026년 12월 31일

부칙

제1조(시행일) 이 계약은 서명한 날부터 시행한다.
`;

export const contract = parseContract({ name: 'processing.md', text });

/** Says the same in English articles. */
export const english = parseContract({
  name: 'supply.md',
  text: `# Supply Agreement

Article 1. Term

This Agreement runs for two years from 1 March 2026.

Article 2. Price

The Buyer pays 40 dollars for each unit, as set out in Article 3.

Article 3. Payment

Invoices are paid within thirty days.

Article 4. Termination

Either party may terminate for a breach that is not remedied within fourteen days.
`,
});

export const standard = parseContract({
  name: 'standard.md',
  text: text
    .replace('데이터 가공 용역계약서', '표준 용역계약서')
    .replace('1,000분의 2', '1,000분의 1')
    .replace('부칙', '제11조(분쟁의 해결) 분쟁은 대한상사중재원의 중재로 해결한다.\n\n제12조(통지) 통지는 서면으로 한다.\n\n부칙'),
});

/** What the model answers, in order; with a `task`, only to that one. */
export interface Reply {
  readonly task?: string;
  readonly reply: unknown;
}

export const callsOf = (...calls: readonly (readonly [name: string, args: unknown])[]): Reply => ({
  task: 'contract_agent.plan_next_action',
  reply: { toolCalls: calls.map(([name, args]) => ({ name, arguments: args })) },
});
export const noCalls: Reply = { task: 'contract_agent.plan_next_action', reply: '찾아볼 것이 없습니다.' };
export const byNumber = (...numbers: readonly string[]): Reply =>
  callsOf(['get_article_by_index', { article_numbers: numbers, exhibit_numbers: [] }]);
export const enough = (is_sufficient: boolean, missing_info: string | null = null): Reply => ({
  task: 'contract_agent.evaluate_sufficiency',
  reply: { is_sufficient, reasoning: 'because', missing_info },
});
export const answer = (text: string): Reply => ({ task: 'contract_agent.generate_response', reply: text });

export interface Played extends WatchedRun<ContractAgentOutput> {
  readonly requests: ReturnType<typeof scriptedModel>['requests'];
}

interface PlayOptions extends Partial<ContractAgentOptions> {
  readonly store?: RunStore;
  readonly threadId?: string;
  readonly input?: Partial<ContractAgentInput>;
}

/** Runs contract-agent with a scripted model, which must be used up. */
export async function play(script: readonly Reply[], input: string, options: PlayOptions = {}): Promise<Played> {
  const model = scriptedModel(script as Script);
  const played = await ask(input, { model, ...options });
  model.assertConsumed();
  return { ...played, requests: model.requests };
}

/** Runs contract-agent, by its rules unless there is a model. */
export const ask = (question: string, options: PlayOptions = {}): Promise<WatchedRun<ContractAgentOutput>> => {
  const { store, threadId, input, ...rest } = options;
  const runtime = createRuntime(store ? { store } : {});
  const workflow = contractAgent({ contracts: [{ contract }], ...rest });
  return watchRun(runtime.start(workflow, { input: question, ...input }, threadId === undefined ? {} : { threadId }));
};
