import fc from 'fast-check';
import { type ContextType, createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { createStudioApi } from '../../../src/studio/api/studio-api.ts';
import { safeLink } from '../../../src/studio/model/safe-link.ts';
import { visibleText } from '../../../src/studio/model/visible-text.ts';
import { AnswerText } from '../../../src/studio/parts/answer-text.tsx';
import { StudioContext } from '../../../src/studio/parts/studio-context.tsx';
import { share } from '../../fixtures/share.ts';

/** A part may ask for it, and none of those here uses more of it than its language. */
const studio: NonNullable<ContextType<typeof StudioContext>>['studio'] = Object.assign(Object.create(null), {
  api: createStudioApi({ onHeld: () => {} }, 'http://localhost'),
});
const html = (text: string): string =>
  renderToStaticMarkup(createElement(StudioContext, { value: { studio, language: 'en' } }, createElement(AnswerText, { text })));

/** Of what a browser loads or runs by itself. */
const acts =
  /<(?:img|script|iframe|object|embed|svg|video|audio|link|meta|form|style|base|input|button)\b|\son\w+=|\ssrc=|\ssrcset=|\sstyle=|href="(?:javascript|data|vbscript)/i;

describe('AnswerText', () => {
  it.each([
    ['raw HTML', '<img src=x onerror=alert(1)>hello'],
    ['a script', '<script>alert(1)</script>'],
    ['an event handler in a block', '<div onclick="alert(1)">\n\nx\n\n</div>'],
    ['a picture', '![secret](https://evil.example/log?d=1)'],
    ['a picture by reference', '![x][y]\n\n[y]: https://evil.example/p.png'],
    ['a script as a link', '[x](javascript:alert(1))'],
    ['a script as a link, disguised', '[x](java\nscript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](&#106;avascript:alert(1))'],
    ['data as a link', '[x](data:text/html,<script>alert(1)</script>)'],
    ['a link written out', '<javascript:alert(1)>'],
    ['a task list', '- [ ] a\n- [x] b'],
    ['a footnote', 'a[^1]\n\n[^1]: <img src=x>'],
    ['a table', '| a |\n|---|\n| <img src=x onerror=1> |'],
    ['style', '<style>*{display:none}</style>'],
    ['mathematics and svg', '<svg onload=alert(1)><math href="javascript:1">'],
  ])('renders %s without active content', (_, text) => {
    // what stands there as text may say so: only tags are looked at
    const tags =
      html(text)
        .match(/<[^>]*>/g)
        ?.join('') ?? '';
    expect(tags).not.toMatch(acts);
  });

  it('keeps line breaks, also in lists', () => {
    expect(html('one\ntwo\n\n1. first\n   Use: it\n2. second')).toBe(
      '<p>one<br/>\ntwo</p>\n<ol>\n<li>first<br/>\nUse: it</li>\n<li>second</li>\n</ol>',
    );
  });

  it('turns no text into an active tag', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '`',
      '\n',
      '\n\n',
      ' ',
      '![',
      '](',
      ')',
      '[',
      ']',
      'javascript:',
      'https://a.example',
      'img src=',
      ' onerror=',
      '&lt;',
      '&#60;',
      '|',
      '- ',
      '1. ',
      '#',
      '*',
      '_',
      '~~~',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        expect(
          html(pieces.join(''))
            .match(/<[^>]*>/g)
            ?.join('') ?? '',
        ).not.toMatch(acts);
      }),
      { numRuns: share(300) },
    );
  });

  it('shows where a link leads, whatever its text', () => {
    expect(html('[https://bank.example](https://evil.example/login)')).toContain('<span class="host">(evil.example)</span>');
    expect(html('[x](https://evil.example)')).toContain('rel="noopener noreferrer nofollow"');
    expect(html('[x](https://аpple.example)')).toContain('(xn--pple-43d.example)');
  });

  it('names a picture and its host, and loads none', () => {
    expect(html('![a cat](https://pics.example/cat.png)')).toContain('[image, not loaded: a cat (pics.example)]');
  });

  it('shows characters that reverse the text direction', () => {
    expect(html('pay \u202eEUR 001')).toContain('pay ⟨U+202E⟩EUR 001');
  });
});

describe('safeLink', () => {
  it.each([
    'javascript:alert(1)',
    ' javascript:x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/api/runs',
    '#x',
    'data:,x',
    'https://',
    'https://user:pass@host.example',
    'https://bank.example@evil.example',
    'mailto:',
    'mailto:a@b@c',
    'blob:https://a',
    'http:evil',
    '',
  ])('rejects %s', (href) => {
    expect(safeLink(href)).toBeUndefined();
  });
  it.each([
    ['https://a.example/b?c#d', 'a.example'],
    ['HTTP://A.example:8080', 'a.example:8080'],
    ['mailto:who@a.example?subject=x', 'who@a.example'],
  ])('shows the host of %s', (href, shown) => {
    expect(safeLink(href)?.shown).toBe(shown);
  });
});

describe('visibleText', () => {
  it.each([
    ['a\tb\nc', 'a\tb\nc'],
    ['a\r\nb', 'a\nb'],
    ['\u001b[31mred', '⟨U+001B⟩[31mred'],
    ['a\u200bb\ufeff', 'a⟨U+200B⟩b⟨U+FEFF⟩'],
    ['\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
    ['tag\u{e0041}', 'tag⟨U+E0041⟩'],
    ['👩‍👩‍👧 한글', '👩‍👩‍👧 한글'],
  ])('shows %j as %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });
});
