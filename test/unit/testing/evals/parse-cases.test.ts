import { parseCases } from 'agent-machines/evals';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const thrown = (text: string, format: 'jsonl' | 'csv' = 'jsonl'): unknown => {
  try {
    return parseCases(text, { format, file: 'a.txt' });
  } catch (error) {
    return error;
  }
};

describe('parseCases of JSONL', () => {
  it('reads cases, and names those without a name by their line', () => {
    const text = '\ufeff{"name": "a/b", "input": {"input": "x"}, "expected": 42, "answers": [{"type": "APPROVE"}]}\r\n\n{"input": "y"}\n';
    expect(parseCases(text)).toEqual([
      { name: 'a/b', input: { input: 'x' }, expected: 42, answers: [{ type: 'APPROVE' }] },
      { name: 'line 3', input: 'y' },
    ]);
  });

  it.each([
    ['{"input": 1}\n{"input": 1', 2, 'it is not JSON'],
    ['{"input": 1}\n\n[1]', 3, 'it is not an object'],
    ['{"name": "a"}', 1, 'it has no input'],
    ['{"input": 1, "expect": 2}', 1, 'unknown field "expect"; did you mean "expected"?'],
    ['{"name": "a", "input": 1}\n{"name": "a", "input": 2}', 2, 'the name "a" is that of line 1'],
    ['{"input": 1, "answers": [1]}', 1, 'its answers are not a list of events'],
    ['{"input": 1, "path": "a -> b"}', 1, 'its path is not a list'],
    ['{"name": 5, "input": 1}', 1, 'its name is not a text'],
    ['  \n', 1, 'there is no case'],
  ])('rejects %j at line %d', (text, line, why) => {
    expect(thrown(text)).toMatchObject({
      code: 'CASES_INVALID',
      message: expect.stringContaining(`a.txt, line ${line}: `),
      data: { line },
    });
    expect(thrown(text)).toMatchObject({ message: expect.stringContaining(why) });
  });
});

describe('parseCases of CSV', () => {
  it('reads quotes, line breaks, members of the input and JSON', () => {
    const text = 'name,input.input,expected,answers,input.n:json\r\n"a, b","say ""hi""\nnow",7,"[{""type"": ""OK""}]",3\r\nc,x,,,\r\n';
    expect(parseCases(text, { format: 'csv' })).toEqual([
      { name: 'a, b', input: { input: 'say "hi"\nnow', n: 3 }, expected: '7', answers: [{ type: 'OK' }] },
      { name: 'c', input: { input: 'x' } },
    ]);
  });

  it.each([
    ['name,input\na,"x', 2, 'a quote is not closed'],
    ['name,input\na,"x"y\n', 2, 'a quoted cell goes on after its end'],
    ['name,input\na,x,y\n', 2, 'it has 3 cells, and the header has 2'],
    ['name,input\n"a\nb",x\nc\n', 4, 'it has 1 cells'],
    ['name,name\na,b\n', 1, 'the column "name" is there twice'],
    ['input,answers\nx,[\n', 2, 'its cell "answers" is not JSON'],
    ['input,input.x\na,b\n', 2, '"input" and "input.x" are both given'],
    ['input,wanted\na,b\n', 2, 'unknown field "wanted"'],
    ['', 1, 'it has no header'],
    ['input\n', 1, 'there is no case'],
  ])('rejects %j at line %d', (text, line, why) => {
    expect(thrown(text, 'csv')).toMatchObject({ code: 'CASES_INVALID', data: { line }, message: expect.stringContaining(why) });
  });

  it('reads back any texts that a program has quoted', () => {
    const cell = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((text) => text.replaceAll('\r', ''))
      .filter((text) => text !== '');
    const quoted = (text: string): string => (/[",\n]/.test(text) || text.startsWith('\ufeff') ? `"${text.replaceAll('"', '""')}"` : text);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), (rows, end, isEnded) => {
        const lines = rows.map(([input, expected]) => [quoted(input), quoted(expected)].join(','));
        const text = ['input,expected', ...lines].join(end) + (isEnded ? end : '');
        const read = parseCases(text, { format: 'csv' });
        expect(read.map(({ input, expected }) => [input, expected])).toEqual(rows);
      }),
    );
  });
});
