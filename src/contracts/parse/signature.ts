const sign =
  /\n[ \t*_#>]{0,12}(?:(?:위와\s?같이|위\s(?:계약|사항|내용|합의)|(?:이|본)\s(?:계약|합의|약정|협약)(?:의\s(?:성립|체결|내용)|서|이\s|을\s)[^\n]{0,40}(?:증명|증하|확인|입증|기명|날인|서명))[^\n]{0,200}|IN WITNESS WHEREOF[^\n]{0,400}|In witness whereof[^\n]{0,400}|(?:년[ \t]{1,20}월[ \t]{1,20}일|(?:\d{2,4}|_{2,20}|[ \t]{2,20}|20\s{0,12}|0{2,4})\s{0,8}[년.][ \t_]{0,12}\d{0,2}[ \t_0]{0,12}[월.][ \t_]{0,12}\d{0,2}[ \t_0]{0,12}[일.]?)[ \t*_]{0,12}(?=\n|$))/g;
const maxChars = 4_000;

/** Where the signatures begin behind the last article of a part, `to` when there are none. */
export function signatureStart(folded: string, from: number, to: number): number {
  const begin = Math.max(from, to - maxChars);
  for (const match of folded.slice(begin, to).matchAll(sign)) {
    const at = begin + match.index + 1;
    if (/\S/.test(folded.slice(from, at)) && !/\n[ \t*_]{0,8}[①-⑳]/.test(folded.slice(at, to))) return at;
  }
  return to;
}
