import { isOn, wholeNumber } from './word-values.ts';
import { visitXmlTags } from './xml-tags.ts';

/** Properties of paragraphs and text in a style, own or inherited from its base style. */
export interface WordStyle {
  readonly list: string | undefined;
  readonly level: number | undefined;
  /** True if the style hides its text. */
  readonly hidden: boolean | undefined;
}

interface OwnStyle {
  basedOn?: string;
  list?: string;
  level?: number;
  hidden?: boolean;
}

/** Returns a lookup by id of the styles in the part `word/styles.xml`. */
export function readWordStyles(xml: string): (id: string) => WordStyle {
  const styles = new Map<string, OwnStyle>();
  let style: OwnStyle | undefined;
  let ofTableParts = 0;
  visitXmlTags(xml, ({ name, kind, get }) => {
    if (name === 'w:style') {
      style = kind === 'close' ? undefined : {};
      if (style) styles.set(get('w:styleId') ?? '', style);
    } else if (name === 'w:tblStylePr' && kind !== 'empty') ofTableParts += kind === 'open' ? 1 : -1;
    else if (style && kind !== 'close' && ofTableParts === 0) {
      const value = get('w:val');
      if (name === 'w:vanish') style.hidden = isOn(value);
      if (value === undefined) return;
      if (name === 'w:basedOn') style.basedOn = value;
      else if (name === 'w:numId') style.list = value;
      else if (name === 'w:ilvl') style.level = wholeNumber(value) ?? 0;
    }
  });
  return (id) => {
    let list: string | undefined;
    let level: number | undefined;
    let hidden: boolean | undefined;
    const seen = new Set<string>();
    for (let next: string | undefined = id; next !== undefined && !seen.has(next); next = styles.get(next)?.basedOn) {
      seen.add(next);
      list ??= styles.get(next)?.list;
      level ??= styles.get(next)?.level;
      hidden ??= styles.get(next)?.hidden;
    }
    return { list, level, hidden };
  };
}
