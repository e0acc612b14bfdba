import type { ParagraphNumbering } from './word-numbering.ts';
import { escapeXml, visitXmlTags } from './xml-tags.ts';

/**
 * The part `word/document.xml` with the labels of automatic numbering written into its paragraphs as text, and without elements
 * around text whose content `mammoth` would leave out.
 */
export function prepareWordXml(xml: string, labelOf: (paragraph: ParagraphNumbering) => string): string {
  const parts: string[] = [];
  let copied = 0;
  const copyTo = (end: number, instead: string, next: number): void => {
    parts.push(xml.slice(copied, end), instead);
    copied = next;
  };
  // what a text box says stands twice: for new readers, and as the fallback that is read
  let choices = 0;
  let change = 0;
  let properties: { style?: string; list?: string; level?: number } | undefined;
  visitXmlTags(xml, ({ name, kind, get, start, end }) => {
    if (name === 'mc:Choice' && kind !== 'empty') choices += kind === 'open' ? 1 : -1;
    else if (name === 'w:fldSimple' || name === 'w:dir' || name === 'w:bdo') copyTo(start, '', end);
    else if (name === 'w:cr') copyTo(start, kind === 'close' ? '' : '<w:br/>', end);
    else if (name === 'w:ptab') copyTo(start, kind === 'close' ? '' : '<w:tab/>', end);
    else if (name === 'w:pPrChange' && kind !== 'empty') change += kind === 'open' ? 1 : -1;
    else if (name === 'w:pPr' && kind !== 'empty' && choices === 0 && change === 0) {
      if (kind === 'open') properties = {};
      else if (properties) {
        const { style, list, level } = properties;
        properties = undefined;
        const label = labelOf({ style, list, level });
        if (label !== '') copyTo(end, `<w:r><w:t xml:space="preserve">${escapeXml(label)}</w:t></w:r>`, end);
      }
    } else if (properties && change === 0 && kind !== 'close') {
      const value = get('w:val');
      if (value === undefined) return;
      if (name === 'w:pStyle') properties.style = value;
      else if (name === 'w:numId') properties.list = value;
      else if (name === 'w:ilvl' && /^\d$/.test(value)) properties.level = Number(value);
    }
  });
  parts.push(xml.slice(copied));
  return parts.join('');
}
