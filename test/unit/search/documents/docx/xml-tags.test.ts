import { describe, expect, it } from 'vitest';
import { visitXmlTags, XmlError, type XmlTag } from '../../../../../src/search/documents/docx/xml-tags.ts';

/** Each tag as it is written, as what it is, and its attribute `v`. */
function tagsIn(xml: string): readonly (readonly [string, XmlTag['kind'], string | undefined])[] {
  const found: [string, XmlTag['kind'], string | undefined][] = [];
  visitXmlTags(xml, ({ kind, get, start, end }) => found.push([xml.slice(start, end), kind, get('v')]));
  return found;
}

describe('visitXmlTags', () => {
  it('reports tags with their positions in any surroundings', () => {
    const xml = '\ufeff<?xml version="1.0"?>\r\n<a><b v=">"/>글\r\n<!-- <c> --><d\n v = "1" ><![CDATA[<e>]]><?f <g>?>🙂</d >\r</a>';
    expect(tagsIn(xml)).toEqual([
      ['<a>', 'open', undefined],
      ['<b v=">"/>', 'empty', '>'],
      ['<d\n v = "1" >', 'open', '1'],
      ['</d >', 'close', undefined],
      ['</a>', 'close', undefined],
    ]);
  });

  it('reports values without escapes, and no inherited properties', () => {
    expect(tagsIn('<a v="&lt;&#44032;&#xAC01;&amp;"/>')[0]?.[2]).toBe('<가각&');
    visitXmlTags('<a b="1"/>', ({ get }) => expect([get('b'), get('constructor'), get('__proto__')]).toEqual(['1', undefined, undefined]));
  });

  it.each([
    '',
    'text',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>text',
    '<a v=1/>',
    '<a v="1" v="2"/>',
    '<a v="<"/>',
    '<a>&</a>',
    '<a>&nbsp;</a>',
    '<a>&#0;</a>',
    '<a>&#xd800;</a>',
    '<a>\u0001</a>',
    '<a><!-- ',
    '<a',
  ])('rejects text that is not well-formed: %j', (xml) => {
    expect(() => visitXmlTags(xml, () => {})).toThrow(XmlError);
  });

  it('does not expand entities that define themselves', () => {
    const laughs = `<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>`;
    expect(() => visitXmlTags(laughs, () => {})).toThrow('undefined entity');
  });
});
