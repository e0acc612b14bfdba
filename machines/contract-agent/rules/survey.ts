import type { CitedLabel, ContractDocument } from 'agent-machines/contracts';
import { placesIn, placeText } from './places.ts';

/** A request about the whole contract. */
export interface Survey {
  readonly what: 'articles' | 'summary' | 'blanks' | 'deadlines' | 'references';
  /** For `references`: the article that others refer to. */
  readonly place: string;
}

const whole = '(?:이\\s?|전체\\s?|모든\\s?)?(?:계약서?|문서|약관)?(?:의|에|에는|전체|상)?\\s?';
const articles = new RegExp(
  `(?:조항|조문|목차|항목)\\s?(?:의\\s?)?(?:목록|리스트|차례|제목)|목차|${whole}(?:모든|전체)\\s?(?:조항|조문)(?:을|은|이)?\\s?(?:알려|보여|나열|뭐|말해|정리)|(?:어떤|무슨)\\s?조항(?:들)?(?:이|가)?\\s?(?:있|들어)|조항(?:이|은)?\\s?몇\\s?개|\\b(?:list|show|name|enumerate)\\b(?: me)?(?: all)?(?: of)? (?:the )?(?:articles|sections|clauses|headings|titles)\\b|\\btable of contents\\b|\\b(?:what|which|how many) (?:articles|sections|clauses)\\b.*\\b(?:there|have|has|contain)`,
  'iu',
);
const summary =
  /(?:계약서?|전체|문서|약관)(?:의|를|을|에\s?대해|\s?내용)*\s?(?:전체(?:를|적으로)?\s?)?(?:간단히\s?|짧게\s?)?(?:요약|개요|간추려|정리해)|^\s*(?:전체\s?)?요약(?:해|\s?좀|\s?부탁|\s?$)|무슨\s?계약|어떤\s?계약(?:서)?(?:이|인|야|입)|\b(?:summari[sz]e|summary of|overview of|sum up)\b.*\b(?:contract|agreement|document|whole|it)\b|\bwhat (?:kind of (?:contract|agreement)|is this (?:contract|agreement) about)\b/iu;
const blanks =
  /빈\s?칸|공란|빈\s?곳|비어\s?있는|채워야|기재되지\s?않은|작성(?:되지|하지)\s?않은|\b(?:blanks?(?: fields?| spaces?)?|(?:empty|unfilled|missing) (?:fields?|blanks?)|fill(?:ed)? in|left open|placeholders?)\b/iu;
const deadlines =
  /(?:기한|기일|마감|날짜|기간)(?:이|을|가|은)?\s?(?:있는|정한|정해진|들어\s?간|포함된|언급된|적힌)\s?(?:모든\s?)?(?:조항|조문|곳|항목|것)|(?:모든|전체)\s?(?:기한|기일|마감|날짜|기간)|기한\s?(?:목록|정리)|\b(?:all|list|which|what)(?: of)?(?: the)? (?:deadlines|time limits|due dates|dates and deadlines|notice periods)\b|\b(?:clauses|articles|sections|provisions) (?:with|that have|containing) (?:a )?(?:deadlines?|time limits?|due dates?)\b/iu;
const references =
  /(?:인용|참조|준용|언급|원용)(?:하|한|되|된|하고)[가-힣]{0,3}\s?(?:다른\s?)?(?:조항|조문|조|곳|데|것)|(?:어디|어느\s?(?:조|조항|조문))(?:에서|가|이)?\s?.{0,20}(?:인용|참조|준용|언급)|(?:인용|참조|준용|언급)(?:되|하)[가-힣]{0,4}\s?(?:나|니|어|요|\?|$)|\b(?:refers?|referring|references?|cites?|citing|mentions?) (?:to )?|\b(?:referred to|cited|referenced|mentioned) (?:in|by)\b/iu;

/** Returns the question's request about the whole contract; `undefined` for a question about a part of it. */
export function surveyOf(question: string, places: readonly CitedLabel[]): Survey | undefined {
  const text = question.normalize('NFKC');
  const [place] = places;
  if (place) return references.test(text) && places.length === 1 ? { what: 'references', place: placeText(place) } : undefined;
  if (blanks.test(text)) return { what: 'blanks', place: '' };
  if (deadlines.test(text)) return { what: 'deadlines', place: '' };
  if (articles.test(text)) return { what: 'articles', place: '' };
  return summary.test(text) ? { what: 'summary', place: '' } : undefined;
}

/** True if the question names a place, or asks about the whole contract. Such a question is looked up, not searched. */
export function namesPart(question: string, document: ContractDocument): boolean {
  const places = placesIn(question, document);
  return places.length > 0 || surveyOf(question, places) !== undefined;
}
