// Where an answer says that a model is needed, and what is said to help.
import { askModel, documentsNeeded, modelNeeded, modestAnswer, type OfflineModelOptions, offlineModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

async function said(text: string, options: OfflineModelOptions = {}): Promise<{ readonly text: string; readonly shown: string }> {
  let shown = '';
  const io = {
    signal: new AbortController().signal,
    emit(event: { readonly type: string; readonly text?: string }): void {
      if (event.type === 'token') shown += event.text;
    },
  };
  const model = offlineModel({ 't.answer': () => text }, options);
  const reply = await askModel(model, { task: 't.answer', messages: [] }, { io, stream: true });
  return { text: reply.text, shown };
}

describe('the advice of an offline model', () => {
  it.each([
    [modestAnswer({ korean: false }), 'Answering this needs a language model (press F1 en).'],
    [modestAnswer({ korean: true }), '이 말씀에 답하려면 언어 모델이 필요합니다(press F1 ko).'],
    [
      modestAnswer({ korean: false, notFound: 'Nothing.' }),
      'Nothing. Answering this needs a language model (press F1 en), or documents that tell it (open en).',
    ],
    ['The page says: it needs a language model.', 'The page says: it needs a language model.'],
  ])('is added to the shown text, but not to quotations: %j', async (text, expected) => {
    const advice: OfflineModelOptions['advice'] = ({ needs, korean }) =>
      `${needs === 'model' ? 'press F1' : 'open'} ${korean ? 'ko' : 'en'}`;
    expect(await said(text, { advice })).toEqual({ text: expected, shown: expected });
  });

  it('is the name of the key by default, and may be empty', async () => {
    const text = `It ${modelNeeded.english}, or ${documentsNeeded.english}.`;
    expect((await said(text, { advice: () => '' })).text).toBe('It needs a language model, or documents that tell it.');
    expect((await said(text)).text).toBe('It needs a language model (OPENAI_API_KEY), or documents that tell it.');
  });

  it('is not requested if no model is needed', async () => {
    let asked = 0;
    await said('6*7 = 42', { advice: () => String(++asked) });
    expect(asked).toBe(0);
  });
});
