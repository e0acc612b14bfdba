import type { ReviewDuties } from './contract-review.ts';
import { passageOf, type ReviewSentence } from './review-sentences.ts';
import { bothSides, type ReviewSides } from './review-sides.ts';

const english = /\b(?:shall|must|will|agrees? to|undertakes? to|(?:is|are) (?:obliged|required|responsible)|covenants? to)\b/g;
const korean =
  /(?:하여야|해야|어야|아야|되어야|주어야|내야|여야)\s?(?:한다|하며|합니다|하고)|(?:지급|제공|제출|납부|부담|배상|보상|반환|인도|납품|유지|준수|통지|수행|공급|교부|협조|설치|보관|관리|교체|이행|완료|발행|보고|승인|확인|작성|책임을?\s?진)(?:한다|하며|하고|합니다|다)(?=[\s,.]|$)|(?:아니|안)\s?(?:된다|됩니다)|(?:낸다|돌려준다|알린다|알려야|진다|따른다|갚는다|치른다|빌려준다|지킨다|마친다|넘겨준다|고쳐 준다)(?=[\s,.]|$)|(?:하지|지)\s?(?:아니한다|않는다|못한다|아니하며)/g;
/** Statements about the contract that bind no party. */
const noDuty =
  /\b(?:means?|shall mean|shall be (?:construed|governed|interpreted|deemed|binding)|shall (?:not )?(?:survive|apply|terminate|expire|begin|commence|continue|become effective|constitute))\b|란\s|이라\s?한다|것으로\s?(?:본다|한다|간주)|말한다|정한다|효력/;
/** Words that follow a modal verb and free from a duty, and those before the end of a Korean sentence. */
const freed =
  /^(?:\s\w+)?(?:\snot(?:\sbe)?\s(?:liable|responsible|required|obliged|obligated|bound|accountable)|\shave\sno\s(?:obligation|duty|liability|responsibility)|(?:\sin)?\sno\s(?:event|way|case)\sbe\s(?:liable|responsible))\b/i;
const freedKo =
  /(?:(?:의무|책임|부담)[가-힣]{0,2}\s?(?:지지|부담하지)|(?:부담|지급|배상|보상|반환|환불)하지)\s?(?:아니|않)[가-힣]*$|의무[가-힣]?\s?없/;

/** Returns the duties by party, in text order. Those whose subject is not clear come last, without a party. */
export function findDuties(sentences: readonly ReviewSentence[], sides: ReviewSides): readonly ReviewDuties[] {
  const byParty = new Map<string | undefined, ReviewDuties['passages'][number][]>(sides.parties.map(({ role }) => [role, []]));
  for (const sentence of sentences) {
    const { text, lead, article } = sentence;
    const found = firstDuty(text);
    if (article.part === 'preamble' || !found || noDuty.test(text)) continue;
    const who = sides.subjectAt(text, found.index + found[0].length) ?? (lead === '' ? undefined : sides.subjectAt(lead, lead.length));
    const passages = byParty.get(who) ?? [];
    passages.push(passageOf(sentence, found.index));
    byParty.set(who, passages);
  }
  const order = [...sides.parties.map(({ role }) => role), bothSides, undefined];
  return order.flatMap((who) => {
    const passages = byParty.get(who) ?? [];
    return passages.length === 0 ? [] : [{ ...(who === undefined ? {} : { who }), passages }];
  });
}

function firstDuty(text: string): RegExpExecArray | undefined {
  const isKorean = /[가-힣]/.test(text);
  return [...text.matchAll(isKorean ? korean : english)].find(({ 0: verb, index }) => {
    const end = index + verb.length;
    return isKorean ? !freedKo.test(text.slice(Math.max(0, index - 20), end)) : !freed.test(text.slice(end));
  });
}
