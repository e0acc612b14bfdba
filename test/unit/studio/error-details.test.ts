import { describe, expect, it } from 'vitest';
import { errorDetails } from '../../../src/studio/model/error-details.ts';

const place = {
  panel: 'timeline',
  stack: '\n    at Timeline\n    at Turn',
  address: 'http://localhost:4000/#/t/t1',
  browser: 'Chromium 156',
};

describe('errorDetails', () => {
  it('names the panel, the page, the browser and both stacks', () => {
    const error = Object.assign(new TypeError('e is not a function'), { stack: 'TypeError: e is not a function\n    at f (main.js:1:2)' });
    expect(errorDetails({ ...place, error }).split('\n')).toEqual([
      'agent-machines studio',
      'panel: timeline',
      'page: http://localhost:4000/#/t/t1',
      'browser: Chromium 156',
      '',
      'TypeError: e is not a function',
      '    at f (main.js:1:2)',
      '',
      'components:',
      '    at Timeline',
      '    at Turn',
    ]);
  });

  it('adds the message to a stack that starts without it', () => {
    const error = Object.assign(new Error('gone'), { stack: 'f@main.js:1:2' });
    expect(errorDetails({ ...place, stack: '', error })).toMatch(/Error: gone\nf@main\.js:1:2$/);
  });

  it('accepts values that are not errors, and removes a token', () => {
    const details = errorDetails({ ...place, stack: '', address: 'http://localhost:4000/#token=secret', error: 'thrown text' });
    expect(details).toMatch(/thrown text$/);
    expect(details).not.toContain('secret');
  });
});
