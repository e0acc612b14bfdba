const note = String.raw`(?:\s{0,4}[<[(〈【][^>\])〉】]{0,160}[>\])〉】]){0,6}`;
const range = String.raw`(?:(?:제\s?\d{1,5}\s?조(?:\s?의\s?\d{1,3})*)?\s?(?:내지|부터|및|와|과|[,~-])\s?제\s?\d{1,5}\s?조(?:\s?의\s?\d{1,3})*\s?(?:까지)?(?:는|은)?\s{0,3}|제\s?\d{1,5}\s?조(?:\s?의\s?\d{1,3})*(?:부터|\s?내지)\s?제\s?\d{1,5}\s?조(?:\s?의\s?\d{1,3})*\s?(?:까지)?(?:는|은)?\s{0,3})?`;
const deletion = new RegExp(
  String.raw`^[\s*_~<([【–-]{0,6}${range}(?:\d{4}[\d.\s]{0,14})?(?:삭\s{0,2}제됨|삭\s{0,2}제|削除|deleted|reserved|intentionally\s(?:omitted|deleted|left\sblank)|omitted)[\s*_~>)\]】.,–-]{0,6}(?:\d{4}[\d.\s]{0,14}[>)\]]?)?${note}[\s*_.]{0,6}$`,
  'i',
);
const maxChars = 600;

/**
 * Notes such as `<2008.2.29 제8852호(정부조직법)>` and `[종전 제9조는 제10조로 이동 <2016.1.6>]`, removed from the innermost outwards. Notes that
 * state a deletion stay.
 */
const innermost =
  /[<[(〈【](?![^<>[\]()〈〉【】]{0,160}(?:삭\s{0,2}제|削除|deleted|reserved|omitted))[^<>[\]()〈〉【】]{0,160}[>\])〉】]/gi;

const withoutNotes = (text: string): string => text.replace(innermost, '').replace(innermost, '').trim();

/** True for a text that only says that the article was deleted, such as `삭제 <1989.12.30.>`. */
export const isDeleted = (text: string): boolean => text.length <= maxChars && (deletion.test(text) || deletion.test(withoutNotes(text)));
