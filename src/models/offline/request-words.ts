import { contentWords } from '../../core/text/content-words.ts';

const english =
  'search|find|give|show|tell|look|lookup|up|sum|summar\\S*|please|an?|of|the|these|those|your|in|from|through|and|then|it|them|for|me|something|anything|some|do|what|you|can|could|using';
const koreanOrders =
  '(?:검색|조회|요약|정리|찾아|간추려|알려|부탁)(?:해\\S*|하\\S*|서|줘\\S*|봐\\S*|줄래\\S*|주세요|드\\S*|을|를|좀)?|해(?:서|줘\\S*|주\\S*|봐\\S*)?|좀|수|줘요?|줄래\\S*|주(?:세요|실\\S*|시\\S*|라)|있(?:어\\S*|나\\S*|을까\\S*)';
const places = '(?:docs?|documents?|documentation|readme|files?|repository|repo|문서|자료|저장소|레포)(?:들|에서|에|의|를|을|도|만)*';
const requestWord = new RegExp(`^(?:${english}|${koreanOrders}|${places})$`, 'iu');

/** True for a word that asks for a search or a summary, or names where to look. */
export const isRequestWord = (word: string): boolean => requestWord.test(word);

/**
 * True when a request has a word beyond those that order a search or a summary.
 *
 * @example hasTopic('문서에서 검색해줘') // false
 */
export const hasTopic = (request: string): boolean =>
  contentWords(request)
    .split(/[\s.,!?]+/)
    .some((word) => word !== '' && !isRequestWord(word));
