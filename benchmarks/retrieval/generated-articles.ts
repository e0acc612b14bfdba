import type { DocumentPassage } from 'agent-machines/search';

/** Numbers that look random, the same for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const nouns =
  '계약금 대금 이행 하자 보증 손해 위약금 기간 통지 해지 검수 납품 용역 비밀 정보 자료 권리 의무 양도 담보 보험 관할 분쟁 지체상금 수수료 임차인 임대인 보증금 시설 안전 근로시간 임금 휴가 저작권 특허 사용권 결과물 하도급 감독관 설계서';
const particles = '을 를 이 가 은 는 의 에 에서 로 으로 와 과 도';
const verbs =
  '정한다 이행하여야_한다 통지하여야_한다 배상한다 청구할_수_있다 해지할_수_있다 지급한다 반환한다 보관한다 제출한다 협의하여_정한다 승낙을_받아야_한다';
const links = '다만 또한 이_경우 제1항에_따라 천재지변의_경우 상대방의_귀책사유로 서면으로 지체_없이 10일_이내에';
const words =
  'agreement party notice payment invoice delivery acceptance defect warranty liability damages termination breach confidential information disclosure assignment insurance indemnity court jurisdiction deadline service fee deposit tenant landlord premises wage license copyright subcontractor inspection schedule penalty interest audit record';
const phrases =
  'shall_be_paid may_terminate shall_notify is_liable_for shall_return shall_not_assign agrees_to shall_deliver within_ten_days in_writing without_delay except_as_provided subject_to by_reason_of';

const listOf = (text: string): readonly string[] => text.split(' ').map((word) => word.replaceAll('_', ' '));
const korean = { nouns: listOf(nouns), particles: listOf(particles), verbs: listOf(verbs), links: listOf(links) };
const english = { nouns: listOf(words), verbs: listOf(phrases) };

/** Articles of mostly 130 to 1,800 letters, Korean and English in turns, 30 to a document. Every run makes the same. */
export function generatedArticles(count: number): readonly DocumentPassage[] {
  const next = random(20_260_101);
  const pick = (list: readonly string[]): string => list[next(list.length)] ?? '';
  const koreanSentence = (): string => {
    const middle = Array.from({ length: 2 + next(4) }, () => `${pick(korean.nouns)}${pick(korean.particles)}`);
    return `${next(3) === 0 ? `${pick(korean.links)} ` : ''}${middle.join(' ')} ${pick(korean.verbs)}.`;
  };
  const englishSentence = (): string => {
    const parts = Array.from({ length: 2 + next(3) }, () => `${pick(english.verbs)} the ${pick(english.nouns)}`);
    return `The ${pick(english.nouns)} ${parts.join(' and ')} of ${1 + next(90)} days.`;
  };
  return Array.from({ length: count }, (_, i) => {
    const document = Math.floor(i / 30);
    const isKorean = document % 2 === 0;
    const number = (i % 30) + 1;
    const title = isKorean ? `${pick(korean.nouns)}의 ${pick(korean.nouns)}` : `${pick(english.nouns)} and ${pick(english.nouns)}`;
    const sentences = Array.from({ length: 4 + next(14) }, isKorean ? koreanSentence : englishSentence);
    return {
      source: isKorean ? `계약서-${document}.md` : `contract-${document}.md`,
      heading: isKorean ? `제${number}조(${title})` : `Article ${number} (${title})`,
      text: sentences.join(' '),
    };
  });
}

/** A title and a sentence or two of an article, as somebody would ask who remembers it nearly; half of them are Korean. */
export function generatedQueries(articles: readonly DocumentPassage[], count: number): readonly string[] {
  const next = random(7);
  return Array.from({ length: count }, () => {
    const { heading = '', text = '' } = articles[next(articles.length)] ?? {};
    const sentences = text.split('. ');
    const title = heading.replace(/^.*\((.*)\)$/, '$1');
    return `${title} ${sentences[next(sentences.length)] ?? ''} ${sentences[next(sentences.length)] ?? ''}`;
  });
}
