import type { ParagraphNumbering } from './word-numbering.ts';
import type { WordStyle } from './word-styles.ts';
import { isOn } from './word-values.ts';
import { escapeXml, visitXmlTags } from './xml-tags.ts';

export interface PrepareWordXmlOptions {
  /** Returns the label of the next paragraph. */
  labelOf(paragraph: ParagraphNumbering): string;
  styleOf(id: string): Pick<WordStyle, 'hidden'>;
}

interface Paragraph {
  hidden: boolean;
}

interface Run extends Paragraph {
  readonly start: number;
}

/**
 * Returns a part with text, for example `word/document.xml`, prepared for `mammoth`. It writes the labels of automatic numbering into the
 * paragraphs as text, and removes hidden text. It also removes elements around text whose content `mammoth` would leave out.
 */
export function prepareWordXml(xml: string, { labelOf, styleOf }: PrepareWordXmlOptions): string {
  const parts: string[] = [];
  let copied = 0;
  const copyTo = (end: number, instead: string, next: number): void => {
    parts.push(xml.slice(copied, end), instead);
    copied = next;
  };
  // a text box occurs twice: for new readers, and as the fallback, which is the one that is read
  let choices = 0;
  let change = 0;
  let properties: { style?: string; list?: string; level?: number; unseen?: boolean; joined?: boolean } | undefined;
  // a text box contains paragraphs within a run
  const paragraphs: Paragraph[] = [];
  const runs: Run[] = [];
  /** The run whose properties are being read. */
  let run: Run | undefined;
  let before = '';
  const isHidden = (): boolean => runs.some(({ hidden }) => hidden);
  visitXmlTags(xml, ({ name, kind, get, start, end }) => {
    const after = before;
    before = kind === 'open' ? name : '';
    if (name === 'w:p' && kind !== 'empty') {
      if (kind === 'open') paragraphs.push({ hidden: false });
      else paragraphs.pop();
    } else if (name === 'w:r' && kind !== 'empty') {
      if (kind === 'open') return void runs.push({ start, hidden: paragraphs.at(-1)?.hidden ?? false });
      const ended = runs.pop();
      if (ended?.hidden && !isHidden()) copyTo(ended.start, '', end);
    } else if (name === 'w:rPr' && kind === 'close') run = undefined;
    else if (name === 'w:rPr' && kind === 'open' && after === 'w:r') run = runs.at(-1);
    else if (/^w:[rp]PrChange$/.test(name) && kind !== 'empty') change += kind === 'open' ? 1 : -1;
    else if (run && change === 0 && kind !== 'close') {
      if (name === 'w:vanish') run.hidden = isOn(get('w:val'));
      else if (name === 'w:rStyle') run.hidden = styleOf(get('w:val') ?? '').hidden ?? run.hidden;
    } else if (isHidden()) return;
    else if (name === 'mc:Choice' && kind !== 'empty') choices += kind === 'open' ? 1 : -1;
    else if (name === 'w:fldSimple' || name === 'w:dir' || name === 'w:bdo') copyTo(start, '', end);
    else if (name === 'w:cr') copyTo(start, kind === 'close' ? '' : '<w:br/>', end);
    else if (name === 'w:ptab') copyTo(start, kind === 'close' ? '' : '<w:tab/>', end);
    else if (name === 'w:pPr' && kind !== 'empty' && choices === 0 && change === 0) {
      if (kind === 'open') properties = {};
      else if (properties) {
        const { style, list, level, unseen = false, joined = false } = properties;
        properties = undefined;
        const hidden = (style !== undefined && styleOf(style).hidden) ?? false;
        const paragraph = paragraphs.at(-1);
        if (paragraph) paragraph.hidden = hidden;
        const label = hidden || (unseen && !joined) ? '' : labelOf({ style, list, level });
        if (label !== '') copyTo(end, `<w:r><w:t xml:space="preserve">${escapeXml(label)}</w:t></w:r>`, end);
      }
    } else if (properties && change === 0 && kind !== 'close') {
      const value = get('w:val');
      if (name === 'w:vanish') properties.unseen = isOn(value);
      else if (name === 'w:specVanish') properties.joined = isOn(value); // a heading that continues on the same line
      if (value === undefined) return;
      if (name === 'w:pStyle') properties.style = value;
      else if (name === 'w:numId') properties.list = value;
      else if (name === 'w:ilvl' && /^\d$/.test(value)) properties.level = Number(value);
    }
  });
  parts.push(xml.slice(copied));
  return parts.join('');
}
