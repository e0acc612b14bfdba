import type { ChatMessage, MessageFile } from 'agent-machines';
import { offlineModel, parseMessageFiles, withFilesWithin } from 'agent-machines/models';
import { openaiModel } from 'agent-machines/models/openai';
import { describe, expect, it } from 'vitest';
import { withSupportedFiles } from '../../../src/models/message-files.ts';
import { startOpenaiServer } from '../../fixtures/openai-server.ts';

const png: MessageFile = { mediaType: 'image/png', data: 'iVBORw0KGgo=', name: 'a.png' };
const withFile = (file: MessageFile, content = 'Look'): ChatMessage => ({ role: 'user', content, files: [file] });

describe('parseMessageFiles', () => {
  it.each<[string, unknown, number]>([
    ['nothing', undefined, 0],
    ['no file', [], 0],
    ['a picture', [png], 1],
    ['a file without a name', [{ mediaType: 'application/pdf', data: 'aGVsbG8=', name: '' }], 1],
  ])('accepts %s', (_, value, count) => {
    const files = parseMessageFiles(value);
    expect(files).toHaveLength(count);
  });

  it.each<[string, unknown, string]>([
    ['no list', { 0: png }, 'files is not a list'],
    ['a field that no file has', [{ ...png, path: '/etc/passwd' }], '/files/0/path'],
    ['no object', ['a.png'], 'files[0].mediaType'],
    ['no media type', [{ ...png, mediaType: 'png' }], 'files[0].mediaType'],
    ['a media type with a parameter', [{ ...png, mediaType: 'image/png;x=1' }], 'files[0].mediaType'],
    ['an address', [{ ...png, data: 'https://example.com/a.png' }], 'files[0].data is not base64'],
    ['a data URL', [{ ...png, data: 'data:image/png;base64,aGk=' }], 'files[0].data is not base64'],
    ['nothing in it', [png, { ...png, data: '' }], 'files[1].data is not base64'],
    ['a line break in its name', [{ ...png, name: 'a\nb' }], 'files[0].name'],
    ['too many', Array.from({ length: 9 }, () => png), '9 files'],
    ['too much', [{ ...png, data: 'AAAA'.repeat(1_400_000) }], '4200000 bytes'],
  ])('rejects %s', (_, value, what) => {
    expect(() => parseMessageFiles(value)).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringContaining(what) }),
    );
  });
});

describe('withTakenFiles', () => {
  const refuse = { model: 'small', supports: ({ mediaType }: MessageFile) => mediaType === 'image/png' };
  const pdf: MessageFile = { mediaType: 'application/pdf', data: 'aGVsbG8=' };

  it('leaves messages with supported files unchanged', () => {
    const messages = [withFile(png), { role: 'assistant', content: 'A cat.' }, withFile(png)] as const;
    expect(withSupportedFiles(messages, refuse)).toEqual(messages);
  });

  it('describes files of an earlier message and rejects those of the last', () => {
    const later: ChatMessage = { role: 'user', content: 'And?' };
    expect(withSupportedFiles([withFile(pdf, ''), later], refuse)).toEqual([
      { role: 'user', content: '[attached: application/pdf, 5 bytes]' },
      later,
    ]);
    const tool: ChatMessage = { role: 'tool', callId: '1', content: 'x' };
    expect(() => withSupportedFiles([later, withFile(pdf), tool], refuse)).toThrow(
      expect.objectContaining({ code: 'MODEL_INPUT_UNSUPPORTED', message: '"small" does not support files of the type application/pdf.' }),
    );
  });
});

describe('withFilesWithin', () => {
  it('keeps the newest files that fit', () => {
    const messages = ['one', 'two', 'three'].map((content) => ({ id: content, message: withFile(png, content) }));
    const kept = withFilesWithin(messages, 17);
    expect(kept.map(({ message }) => [message.role === 'user' && message.files !== undefined, message.content])).toEqual([
      [false, 'one\n[attached: a.png, image/png, 8 bytes]'],
      [true, 'two'],
      [true, 'three'],
    ]);
    expect(withFilesWithin(messages)).toEqual(messages);
  });
});

describe('openaiModel', () => {
  it.each<[MessageFile, object]>([
    [png, { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
    [
      { mediaType: 'application/pdf', data: 'aGVsbG8=', name: 'b.pdf' },
      { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,aGVsbG8=' } },
    ],
    [
      { mediaType: 'audio/mpeg', data: 'aGVsbG8=' },
      { type: 'input_audio', input_audio: { data: 'aGVsbG8=', format: 'mp3' } },
    ],
  ])('sends %j', async (file, part) => {
    await using server = await startOpenaiServer(async () => ({ type: 'completion', text: 'ok' }));
    const model = openaiModel({ model: 'm', baseURL: server.url, apiKey: 'none' });
    await model.generate({ task: 't', messages: [withFile(file)] });
    expect(server.requests[0]?.body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Look' }, part] }]);
  });

  it('rejects an unsupported file before sending', async () => {
    await using server = await startOpenaiServer();
    const model = openaiModel({ model: 'm', baseURL: server.url, apiKey: 'none' });
    const refused = model.generate({ task: 't', messages: [withFile({ mediaType: 'video/mp4', data: 'aGk=' })] });
    await expect(refused).rejects.toMatchObject({ code: 'MODEL_INPUT_UNSUPPORTED', retryable: false });
    expect(server.requests).toEqual([]);
  });
});

it('rejects files with offline rules', async () => {
  const model = offlineModel({ t: () => 'Nice!' });
  await expect(model.generate({ task: 't', messages: [withFile(png)] })).rejects.toMatchObject({ code: 'MODEL_INPUT_UNSUPPORTED' });
});
