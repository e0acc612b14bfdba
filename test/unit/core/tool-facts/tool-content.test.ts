import type { Json, ToolContent } from 'agent-machines';
import { limitFiles, toModelContent } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const png = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=', name: 'a.png' } as const;
const said = (text: string) => ({ type: 'text', text }) as const;
const shown: ToolContent = { content: [said('Sales'), png] };

describe('an output', () => {
  it.each<[string, Json]>([
    ['a text and a file', shown],
    ['texts only', { content: [said('a')] }],
    ['data beside a file', { content: [png], structuredContent: { total: 3 } }],
    ['a file that cannot be shown', { content: [{ type: 'file', mediaType: '?', data: '?' }] }],
  ])('of parts: %s', (_, output) => {
    expect(toModelContent(output).text).not.toContain('content');
  });

  it.each<[string, Json]>([
    ['a text', 'Sales'],
    ['nothing', null],
    ['no parts', { content: [] }],
    ['the entries of a folder', { content: [{ type: 'file', name: 'a.txt', size: 3 }, { type: 'dir' }] }],
    ['a file without content among files', { content: [png, { type: 'file', mediaType: 'image/png' }] }],
    ['a part of MCP', { content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }],
    ['another key', { content: [png], path: '/tmp' }],
    ['another key of a file', { content: [{ ...png, path: '/tmp' }] }],
  ])('of plain JSON: %s', (_, output) => {
    expect(toModelContent(output)).toEqual({ text: typeof output === 'string' ? output : JSON.stringify(output), files: [] });
    expect(limitFiles(output, 0)).toBe(output);
  });
});

it('shows data, then texts, and files without their type', () => {
  const { type: _, ...file } = png;
  expect(toModelContent({ content: [said('a'), png, said('b')], structuredContent: [1] })).toEqual({ text: '[1]\na\nb', files: [file] });
});

describe('limitFiles', () => {
  it('names the files beyond the bytes, in their order', () => {
    const { content } = limitFiles(
      { content: [png, { ...png, name: 'b.png' }, { ...png, data: 'aGk=', name: 'c.png' }] },
      15,
    ) as ToolContent;
    expect(content).toEqual([
      png,
      said('[attached: b.png, image/png, 8 bytes, left out: more than 15 bytes]'),
      { ...png, data: 'aGk=', name: 'c.png' },
    ]);
  });

  it('names the ninth file', () => {
    const { content } = limitFiles({ content: Array.from({ length: 50 }, () => png) }, 4_000_000) as ToolContent;
    expect(content.map(({ type }) => type)).toEqual([...Array(8).fill('file'), ...Array(42).fill('text')]);
    expect(content[8]).toEqual(said('[attached: a.png, image/png, 8 bytes, left out: more than 8 files]'));
  });

  it('stays within its limits for any parts', () => {
    const part = fc.oneof(
      fc.string().map(said),
      fc.nat(40).map((n) => ({ ...png, data: 'AAAA'.repeat(n + 1) })),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), fc.nat(400), (content, maxBytes) => {
        const limited = limitFiles({ content }, maxBytes) as ToolContent;
        const { files } = toModelContent(limited);
        expect(files.length).toBeLessThanOrEqual(8);
        expect(files.reduce((sum, { data }) => sum + (data.length * 3) / 4, 0)).toBeLessThanOrEqual(maxBytes);
        expect(limited.content).toHaveLength(content.length);
        expect(limitFiles(limited, maxBytes)).toEqual(limited);
      }),
    );
  });
});
