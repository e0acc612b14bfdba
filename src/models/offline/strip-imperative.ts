/** Removes the order at the end of a request: `… 맛집 추천해줘` becomes `… 맛집 추천`. */
export function stripImperative(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s?!.~]/.test(text.charAt(end - 1))) end--;
  const order = /(?:해\s?(?:줘|주세요|줄래|봐)(?:요)?|알려\s?(?:줘|주세요)|찾아\s?(?:줘|주세요)|please)$/i;
  return text.slice(0, end).replace(order, '').trim();
}
