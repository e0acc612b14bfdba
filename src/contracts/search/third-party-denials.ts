/**
 * A third party in a sentence that forbids something: `The Vendor's subcontractors shall not …`, `을의 하수급인은 … 할 수 없다`. A capitalized one
 * without an owner may be a party of this contract. Customers and users mostly are parties.
 */
const noun = '(?:[Ss]ub-?(?:contractor|consultant|licensee|tenant|supplier|distributor)|[Tt]hird[ -][Pp]art(?=y|ie)|[Aa]gent)';
const common = '(?:sub-?(?:contractor|consultant|licensee|tenant|supplier|distributor)|third[ -]part(?=y|ie))';
const first = '(?:Sub-?(?:contractor|consultant|licensee|tenant|supplier|distributor)|Third part(?=ie))';
const bound = String.raw`(?:\s+(?:of|to|under|from)\s+[^,.;]{1,40})?\s+(?:shall|may|must|will|can|is|are)\s+(?:not|never)\b`;
const english = new RegExp(
  String.raw`^\W{0,6}(?:[\d.()a-z]{1,6}\s+)?(?:(?:[Tt]he\s+)?[\w-]{1,30}(?:\s[\w-]{1,30})?(?:['’]s|s['’])\s+(${noun}(?:s|y|ies)?)|(?:(?:[Tt]he|[Aa]ny|[Ee]ach|[Ee]very|[Aa]ll|[Nn]o|[Ss]uch|[Ii]ts|[Tt]heir)\s+)?(${common}(?:s|y|ies)?)|(${first}(?:s|ies)))${bound}`,
  'u',
);
const korean =
  /^\s*(?:제\s?\d{1,3}\s?조(?:의\s?\d{1,2})?\s?(?:[([][^)\]]{1,40}[)\]])?)?[\s\d①-⑳.()]{0,8}(?:[가-힣“”"']{1,10}의\s?(하수급인|하도급자|하도급업체|재수급인|재실시권자|전차인|대리인|협력업체)|(제3자))(?:들)?[은는이가]\s[^.]{0,120}?(?:아니\s?(?:된다|한다|하다)|할\s?수\s?없다|못한다|금지된다|안\s?된다)/u;

/** Returns the third party in a sentence that forbids it something, as one word; otherwise `undefined`. */
export const deniedThirdParty = (sentence: string): string | undefined =>
  (english.exec(sentence) ?? korean.exec(sentence))
    ?.slice(1)
    .find((each) => each !== undefined)
    ?.toLowerCase();

/** The wording of a passage about the parties, and the third parties of its other sentences. */
export interface PartyWording {
  readonly text: string;
  readonly thirdParties: readonly string[];
}

const maxSentenceChars = 400;
/** End of a sentence, or of a short line (a heading). */
const sentenceEnd = /(?<=[.;。])\s+|(?<=(?:^|\n)[^\n]{1,50})\n(?=\s{0,8}["“A-Z가-힣①-⑳(])/u;

/** Removes the sentences that forbid something to a third party. Returns other texts unchanged. */
export function partyWording(text: string): PartyWording {
  const sentences = text.split(sentenceEnd);
  const denied = sentences.map((sentence) => deniedThirdParty(sentence.slice(0, maxSentenceChars)));
  const thirdParties = denied.filter((each) => each !== undefined);
  return thirdParties.length === 0
    ? { text, thirdParties }
    : { text: sentences.filter((_, i) => denied[i] === undefined).join(' '), thirdParties };
}
