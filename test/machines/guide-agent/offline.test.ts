// guide-agent without a model: what its rules understand, what they recommend, and that they say so when they do not know.
import { createRuntime, type HumanEvent, type RunResult } from 'agent-machines';
import { type GuideAgentOptions, type GuideAgentOutput, guideAgent } from 'agent-machines/machines/guide-agent';
import { exampleKnowledge } from 'agent-machines/machines/guide-agent/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { revisePlan } from '../../../machines/guide-agent/offline/revise-plan.ts';
import { interruptOf, newMemory } from './helpers.ts';

let knowledge: Awaited<ReturnType<typeof exampleKnowledge>>;
beforeAll(async () => {
  knowledge = await exampleKnowledge();
});

/** Runs it by its rules, saying something to each plan. */
async function talk(input: string, events: readonly HumanEvent[] = [], options: Partial<GuideAgentOptions> = {}) {
  const workflow = guideAgent({ knowledge, ...options });
  const runtime = createRuntime({ workflows: [workflow] });
  const run = runtime.start(workflow, { input, userId: 'kim' });
  let result: RunResult<unknown> = await run.result;
  const plans: { readonly sub_tasks: readonly string[]; readonly notice: string | null }[] = [];
  const see = (): void => {
    if (result.status === 'waiting') plans.push(interruptOf(result).question as never);
  };
  see();
  for (const event of events) {
    result = await (await runtime.send(run.id, event, { interruptId: interruptOf(result).id })).result;
    see();
  }
  const output = 'output' in result ? (result.output as GuideAgentOutput) : undefined;
  const services = (output?.toolRecommendations ?? []).map(({ service }) => service);
  return { result, plans, output, services, guide: output?.answer ?? '' };
}
const approve: HumanEvent = { type: 'APPROVE' };

describe('a plan', () => {
  it.each<readonly [input: string, services: readonly string[]]>([
    ['유튜브 쇼츠를 만들어서 올리고 싶어', ['대본너구리', '썸네일카멜레온', '쇼츠수달', '해시태그게']],
    ['쇼핑몰을 열어서 상품 사진, 광고, 고객 상담까지 준비하고 싶다', ['상품무당벌레', '광고벌새', '상담카피바라']],
    ['회의록 작성과 보고서를 자동화하고 싶어', ['회의록딱정벌레', '알림수탉']],
    ['논문을 읽고 발표 자료를 만들고 싶어', ['슬라이드왜가리', '논문따오기']],
    ['무료로 팟캐스트를 제작하고 싶어', ['소음고슴도치', '라디오매미']],
    ['앱을 개발하고 코드 리뷰와 테스트를 자동화하고 싶어', ['리뷰황조롱이', '테스트남생이', '흐름거미']],
    ['Make a YouTube video with captions and background music', ['대본너구리', '자막쿼카', '비트여치']],
    ['I want to launch a newsletter with illustrations', ['붓두루미', '뉴스레터산양']],
    ['I want to translate a contract and find risky clauses', ['번역제비', '계약들소']],
  ])('has a service of the catalogue for each part of "%s"', async (input, services) => {
    const { plans, result, services: found } = await talk(input, [approve]);
    expect(plans[0]?.sub_tasks.length).toBe(services.length);
    expect(result).toMatchObject({ finalState: 'done' });
    expect(found).toEqual(services);
  });

  it('is in the language of the request', async () => {
    const { plans } = await talk('I want to launch a newsletter with illustrations');
    expect(plans[0]?.sub_tasks).toEqual(['Paint illustrations in chosen styles', 'Write and send newsletters']);
  });

  it.each([
    ['세금 신고를 준비하고 싶어', /^실행이 중단되었습니다: .*언어 모델이 필요합니다/],
    ['I want to build a rocket', /^Execution stopped: .*A language model is needed/],
  ])('stops beyond the catalogue for "%s", and names what is missing', async (input, text) => {
    const { result, guide } = await talk(input);
    expect(result).toMatchObject({ finalState: 'stopped', output: { error: { code: 'MODEL_REFUSED' } } });
    expect(guide).toMatch(text);
    expect(guide).toContain('OPENAI_API_KEY');
  });
});

const korean = ['대본 쓰기', '썸네일 만들기', '영상 편집'];
const english = ['Write a script', 'Make a thumbnail', 'Edit the video'];

describe('a revision', () => {
  it.each<readonly [feedback: string, plan: readonly string[]]>([
    ['3번 빼줘', ['대본 쓰기', '썸네일 만들기']],
    ['세 번째는 빼줘', ['대본 쓰기', '썸네일 만들기']],
    ['마지막 단계 없애줘', ['대본 쓰기', '썸네일 만들기']],
    ['썸네일은 빼줘', ['대본 쓰기', '영상 편집']],
    ['영상 편집은 필요 없어', ['대본 쓰기', '썸네일 만들기']],
    ['2번 삭제', ['대본 쓰기', '영상 편집']],
    ['자막 추가해줘', [...korean, '자막']],
    ['자막도 넣어줘', [...korean, '자막']],
    ['더빙 단계를 추가해줘', [...korean, '더빙']],
    ['배경음악도 있었으면 좋겠어', [...korean, '배경음악']],
    ['홍보까지 포함해줘', [...korean, '홍보']],
    ['맨 앞에 자료 조사를 추가해줘', ['자료 조사', ...korean]],
    ['2번 뒤에 자막을 넣어줘', ['대본 쓰기', '썸네일 만들기', '자막', '영상 편집']],
    ['2번 앞에 자료 조사를 넣어줘', ['대본 쓰기', '자료 조사', '썸네일 만들기', '영상 편집']],
    ['2번을 로고 만들기로 바꿔줘', ['대본 쓰기', '로고 만들기', '영상 편집']],
    ['썸네일 만들기를 로고 만들기로 바꿔줘', ['대본 쓰기', '로고 만들기', '영상 편집']],
    ['첫 번째를 기획으로 수정해줘', ['기획', '썸네일 만들기', '영상 편집']],
    ['썸네일 대신 로고', ['대본 쓰기', '로고', '영상 편집']],
    ['3번을 맨 앞으로', ['영상 편집', '대본 쓰기', '썸네일 만들기']],
    ['1번과 3번 순서를 바꿔줘', ['영상 편집', '썸네일 만들기', '대본 쓰기']],
    ['썸네일과 영상 편집 순서를 바꿔줘', ['대본 쓰기', '영상 편집', '썸네일 만들기']],
    ['3, 1, 2 순서로', ['영상 편집', '대본 쓰기', '썸네일 만들기']],
    ['순서를 3-1-2로 바꿔줘', ['영상 편집', '대본 쓰기', '썸네일 만들기']],
    ['1번을 마지막으로 옮겨줘', ['썸네일 만들기', '영상 편집', '대본 쓰기']],
    ['영상 편집을 대본 앞으로 옮겨줘', ['영상 편집', '대본 쓰기', '썸네일 만들기']],
    ['순서를 거꾸로 해줘', ['영상 편집', '썸네일 만들기', '대본 쓰기']],
    ['3번 빼고 자막 추가해줘', ['대본 쓰기', '썸네일 만들기', '자막']],
  ])('"%s" is understood', (feedback, plan) => {
    expect(revisePlan(korean, feedback)).toEqual(plan);
  });

  it.each<readonly [feedback: string, plan: readonly string[]]>([
    ['remove 3', ['Write a script', 'Make a thumbnail']],
    ['Remove the thumbnail', ['Write a script', 'Edit the video']],
    ['please drop step 2.', ['Write a script', 'Edit the video']],
    ['delete the last one', ['Write a script', 'Make a thumbnail']],
    ['without the thumbnail', ['Write a script', 'Edit the video']],
    ['add subtitles', [...english, 'Subtitles']],
    ['Add a step for background music', [...english, 'Background music']],
    ['add research at the beginning', ['Research', ...english]],
    ['add captions after step 2', ['Write a script', 'Make a thumbnail', 'Captions', 'Edit the video']],
    ['rename 2 to logo design', ['Write a script', 'Logo design', 'Edit the video']],
    ['replace the thumbnail with a logo', ['Write a script', 'Logo', 'Edit the video']],
    ['move 3 to the front', ['Edit the video', 'Write a script', 'Make a thumbnail']],
    ['move 1 to the end', ['Make a thumbnail', 'Edit the video', 'Write a script']],
    ['put the video before the thumbnail', ['Write a script', 'Edit the video', 'Make a thumbnail']],
    ['swap 1 and 3', ['Edit the video', 'Make a thumbnail', 'Write a script']],
    ['order 3, 1, 2', ['Edit the video', 'Write a script', 'Make a thumbnail']],
    ['reverse the order', ['Edit the video', 'Make a thumbnail', 'Write a script']],
    ['remove 3 and add captions', ['Write a script', 'Make a thumbnail', 'Captions']],
  ])('"%s" is understood', (feedback, plan) => {
    expect(revisePlan(english, feedback)).toEqual(plan);
  });

  it.each([
    '좀 더 재미있게 해줘',
    '마음에 안 들어',
    '왜 이렇게 했어?',
    '승인',
    '7번 빼줘',
    '1번이랑 3번 빼줘',
    '2번 빼지 마',
    '아무것도 추가하지 마',
    '추가',
    '빼줘',
    '예산을 2만 원으로 바꿔줘',
    '3분 영상으로 바꿔줘',
    '대본 쓰기 추가해줘',
    `자막 추가해줘 ${'아주 '.repeat(100)}`,
  ])('"%s" is not understood, and changes nothing', (feedback) => {
    expect(revisePlan(korean, feedback)).toBeUndefined();
  });

  it.each([
    'make it funnier',
    'approve',
    'remove 9',
    'do not remove 2',
    "don't add anything",
    'add',
    'address the audience',
    'change the tone',
  ])('"%s" is not understood, and changes nothing', (feedback) => {
    expect(revisePlan(english, feedback)).toBeUndefined();
  });

  it('has 2 to 5 sub-tasks', () => {
    expect(revisePlan(['a 1', 'b 2'], '2번 빼줘')).toBeUndefined();
    expect(revisePlan(['가', '나', '다', '라', '마'], '자막 추가해줘')).toBeUndefined();
  });

  it('is shown, and approved in its new form', async () => {
    const { plans, services } = await talk('회의록 작성과 보고서를 자동화하고 싶어', [
      { type: 'REVISE', feedback: '문서 번역도 추가해줘' },
      approve,
    ]);
    expect(plans[1]).toEqual({ revision: 2, sub_tasks: [...(plans[0]?.sub_tasks ?? []), '문서 번역'], notice: null });
    expect(services.at(-1)).toBe('번역제비');
  });

  it('keeps the plan and explains itself if it is not understood', async () => {
    const { plans } = await talk('회의록 작성과 보고서를 자동화하고 싶어', [{ type: 'REVISE', feedback: '좀 더 멋지게' }]);
    expect(plans[1]).toEqual({ ...plans[0], notice: expect.stringMatching(/추가, 삭제, 이름 변경, 순서 변경만/) });
    const { plans: other } = await talk('I want to launch a newsletter with illustrations', [
      { type: 'REVISE', feedback: 'nicer, please' },
    ]);
    expect(other[1]).toEqual({ ...other[0], notice: expect.stringMatching(/adding, removing, renaming and reordering only/) });
  });
});

describe('the guide', () => {
  it('quotes the catalogue and the PDFs with their sources', async () => {
    const { guide } = await talk('유튜브 쇼츠를 만들어서 올리고 싶어', [approve]);
    expect(guide).toContain('1. 유튜브와 쇼츠 대본 쓰기\n   추천: 대본너구리');
    expect(guide).toContain('가격: 12,900 KRW/month (무료 범위 있음).');
    expect(guide).toMatch(/“[^”]*대본너구리[^”]*” \(trends-video-2026\.pdf\)/);
  });

  it('is in English for an English request', async () => {
    const { guide } = await talk('I want to launch a newsletter with illustrations', [approve]);
    expect(guide).toMatch(/^Guide: /);
    expect(guide).toContain('BrushCrane paints illustrations');
    expect(guide).toContain('Price: 15 USD/month (with a free tier).');
  });

  it('names what was not found, and that there was no web search', async () => {
    const { guide, output } = await talk('회의록 작성과 보고서를 자동화하고 싶어', [
      { type: 'EDIT', sub_tasks: ['회의록 정리', '양자 암호'] },
      approve,
    ]);
    expect(output?.toolRecommendations.map(({ status }) => status)).toEqual(['recommended', 'unresolved']);
    expect(guide).toMatch(
      /알맞은 서비스를 찾지 못한 작업:\n- 양자 암호\n더 찾아볼 웹 검색\(GOOGLE_API_KEY, GOOGLE_CSE_ID\)이 없었습니다\.$/,
    );
  });
});

describe('a question', () => {
  it.each<readonly [question: string, answer: RegExp]>([
    ['자막쿼카 얼마야?', /^자막쿼카: 한국어 자동 자막\..*9,900 KRW\/month/],
    ['한국어 자막 서비스 뭐야?', /^자막쿼카: 한국어 자동 자막/],
    ['ShortsOtter가 뭐야?', /^쇼츠수달: /],
    ['오늘 회의가 몇 시에 어느 방에서 열려?', /언어 모델이 필요합니다/],
    ['What is the price of 번역제비?', /^WordSwallow \(번역제비\): WordSwallow translates.*20 USD\/month/],
    ['무료 자막 도구 있어?', /^자막쿼카: /],
    ['Which service writes newsletters?', /NewsletterGoral/],
    ['안녕', /^안녕하세요/],
    ['Thanks!', /^Hello/],
    ['대통령이 누구야?', /언어 모델이 필요합니다/],
    ['Who won the match?', /needs a language model/],
  ])('"%s" is answered from the catalogue, or reported as unanswerable', async (question, answer) => {
    const { result, guide, plans } = await talk(question);
    expect(result).toMatchObject({ finalState: 'done', output: { subTasks: [] } });
    expect([plans, guide]).toEqual([[], expect.stringMatching(answer)]);
  });
});

describe('preferences of the user', () => {
  const podcast = '논문을 읽고 발표 자료를 만들고 싶어';
  const edit: HumanEvent = { type: 'EDIT', sub_tasks: ['화상 회의 요약'] };

  it('change the recommendation, which names them', async () => {
    const plain = await talk(podcast, [edit, approve]);
    const free = await talk(`무료로 ${podcast}`, [edit, approve]);
    expect(plain.services).toEqual(['노트웜뱃']);
    expect(free.services).toEqual(['회의록딱정벌레']);
    expect(free.guide).toContain('원하신 조건에 맞습니다: 무료');
  });

  it('are remembered for the next run of the user, and not for another user', async () => {
    const memory = newMemory();
    const first = await talk(`무료로, 한국어로 쓸 수 있게 ${podcast}`, [edit, approve], { memory });
    expect(first.output?.memories).toEqual([{ kind: 'preference', text: `무료로, 한국어로 쓸 수 있게 ${podcast}` }]);
    const second = await talk(podcast, [edit, approve], { memory });
    expect(second.services).toEqual(first.services);
    expect(second.guide).toContain('원하신 조건에 맞습니다: 무료, 한국어');
    expect(second.output?.memories).toEqual([]); // known already
    expect((await memory.list('kim')).length).toBe(1);
    expect(await memory.list('lee')).toEqual([]);
  });

  it('are read from feedback on the plan, and a sentence about money is stored word for word', async () => {
    const memory = newMemory();
    const said = '예산은 한 달 2만 원 이하로 해줘.';
    await talk(podcast, [{ type: 'REVISE', feedback: said }, edit, approve], { memory });
    expect((await memory.list('kim')).map(({ text }) => text)).toEqual([said]);
  });

  it('do not include what the user does not need', async () => {
    const memory = newMemory();
    await talk(`무료가 아니어도 되니 ${podcast}`, [edit, approve], { memory });
    expect(await memory.list('kim')).toEqual([]);
  });

  it('include work that the catalogue does not have', async () => {
    const memory = newMemory();
    await talk(podcast, [{ type: 'EDIT', sub_tasks: ['양자 암호'] }, approve], { memory });
    expect(await memory.list('kim')).toMatchObject([{ kind: 'feedback', text: '카탈로그에 없는 작업을 찾았다: 양자 암호' }]);
  });
});

describe('a request for a result instead of a service', () => {
  it.each([
    "translate 'good morning' to Korean",
    'Please translate “see you” into French',
    'summarize "the whole text of it"',
    '“안녕하세요”를 영어로 번역해줘',
    '요즘 뉴스 뭐 있어?',
    '오늘 주가 어때?',
    'latest news about AI?',
    "what's the weather today?",
    'any news this week?',
    '맞춤법 고쳐줘',
    'would you spell-check my cover letter',
    'Explain what LangGraph is, using the documents',
    'Hey, what exactly is LangGraph?',
    '문서에서 검색해서 요약해줘',
    'Search the documents please',
  ])('%s: reports that rules cannot answer, and names no service', async (input) => {
    const { guide } = await talk(input);
    expect(guide).toContain('OPENAI_API_KEY');
    expect(guide).not.toMatch(/KRW|USD|제비|로리스/);
  });

  it.each([
    ['뉴스 브리핑 해주는 서비스 있어?', '뉴스로리스'],
    ['요즘 뉴스 브리핑 앱 뭐 있어?', '뉴스로리스'],
    ['which service sends the latest news?', '뉴스로리스'],
    ['is there a tool that translates documents?', '번역제비'],
    ['PDF 문서 번역 서비스 추천해줘', '번역제비'],
    ["what does 'WordSwallow' do?", '번역제비'],
    ['which service makes subtitles?', '자막쿼카'],
    ['자막 만들어 주는 서비스는?', '자막쿼카'],
    ['자막 만드는 도구 추천해줘', '자막쿼카'],
    ['회의록 정리해 주는 도구는 뭐가 있어', '회의록딱정벌레'],
  ])('%s: names the service', async (input, service) => {
    const { guide, services } = await talk(input, []);
    expect(`${guide}${services.join()}`).toContain(service);
  });
});
