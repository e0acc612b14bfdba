import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeReview } from '../../../src/cli/review.ts';
import { escapeControls, printableJson, table } from '../../../src/cli/terminal.ts';
import { Timeline } from '../../../src/cli/timeline.ts';
import { viewOf, workflowNamed } from '../../../src/cli/workflows.ts';

/** Sets a title, fills the clipboard, links, goes back in the line, turns it around, hides letters. */
const hostile =
  '\u001b]0;t\u0007 \u001b]52;c;QQ==\u0007 \u001b]8;;https://evil\u0007x\u001b\\ \u009b2J \r \u007f \u202e \u{e0041} \u200b \u2028 \u3164 \u{e0100}';
const obeyed = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\u3164|\p{Default_Ignorable_Code_Point}(?<!\ufe0f|\u200d)/u;

describe('terminal output', () => {
  it('has no control or invisible characters', () => {
    expect(escapeControls(hostile)).not.toMatch(obeyed);
    expect(table([[hostile, hostile]], 100)).not.toMatch(obeyed);
    expect(escapeControls('제1조\t👨‍👩‍👧 ❤️\n')).toBe('제1조\t👨‍👩‍👧 ❤️\n');
  });

  it('keeps the value of JSON without them', () => {
    const value = { [hostile]: [hostile, '제1조'] };
    expect(printableJson(value)).not.toMatch(obeyed);
    expect(JSON.parse(printableJson(value))).toEqual(value);
    expect(printableJson({ a: '제1조' }, 2)).toBe('{\n  "a": "제1조"\n}');
  });

  it('shows an invented tool name on one line', async () => {
    const written: string[] = [];
    const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    onTestFinished(() => spy.mockRestore());
    const pendingCalls = [{ id: 'c', name: `x\n  ✓ approved ${hostile}`, arguments: '{}' }];
    const timeline = new Timeline(await viewOf(workflowNamed('chat-agent')), async () => ({ output: { pendingCalls } }));
    await timeline.show({ type: 'node-end', key: 'agent#1', durationMs: 1 } as never);
    expect(written).toHaveLength(2);
    expect(written[1]).toMatch(/^ {6}x {3}✓ approved .*\n$/);
    expect(written.join('')).not.toMatch(obeyed);
  });

  it('shows a plan with one line per sub-task', () => {
    const question = { revision: 1, sub_tasks: ['write\n  2. pay', hostile], notice: `no\n${hostile}` };
    const lines = describeReview({ question } as never);
    expect(lines).toHaveLength(4);
    expect(lines.join('')).not.toMatch(/[\n\r]/);
    expect(lines.join('')).not.toMatch(obeyed);
  });
});
