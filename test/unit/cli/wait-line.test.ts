import stringWidth from 'string-width';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WaitLine, type WaitScreen } from '../../../src/cli/wait-line.ts';

describe('WaitLine', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function screen(more: Partial<WaitScreen> = {}) {
    const written: string[] = [];
    return { written, isTTY: true, columns: 40, write: (text: string) => written.push(text), ...more };
  }

  it('moves after a while, shows the time, and is erased', () => {
    const terminal = screen();
    const line = new WaitLine({ screen: terminal, env: {} });
    line.start('planner');
    vi.advanceTimersByTime(300);
    expect(terminal.written).toEqual([]);
    vi.advanceTimersByTime(3_000);
    const shown = terminal.written.map((text) => text.replace('\r\u001b[2K', ''));
    expect(new Set(shown.map((text) => text.trim()[0])).size).toBe(10);
    expect(shown.at(-1)).toMatch(/^ {2}. planner · 3 s$/);
    line.stop();
    expect(terminal.written.at(-1)).toBe('\r\u001b[2K');
    const count = terminal.written.length;
    vi.advanceTimersByTime(10_000);
    line.stop();
    expect(terminal.written).toHaveLength(count);
  });

  it('fits in one line, with Hangul two columns wide', () => {
    const terminal = screen({ columns: 24 });
    const line = new WaitLine({ screen: terminal, env: {} });
    line.start('아주 긴 이름을 가진 도구\n이름'.repeat(4));
    vi.advanceTimersByTime(1_000);
    for (const text of terminal.written) {
      expect(stringWidth(text.replace('\r', ''))).toBeLessThan(24);
      expect(text).not.toContain('\n');
    }
    expect(terminal.written.length).toBeGreaterThan(0);
  });

  it.each([
    ['a pipe', { isTTY: false }, {}],
    ['a file', { isTTY: undefined as never }, {}],
    ['CI', {}, { CI: 'true' }],
    ['a terminal that cannot erase', {}, { TERM: 'dumb' }],
  ])('writes nothing to %s', (_name, kind, env) => {
    const terminal = screen(kind);
    const line = new WaitLine({ screen: terminal, env });
    line.start('planner');
    vi.advanceTimersByTime(5_000);
    line.stop();
    expect(terminal.written).toEqual([]);
  });
});
