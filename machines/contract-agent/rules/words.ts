/** Contract vocabulary. A word counts only if other such words, particles or endings follow: `항공권` is not `항`. */
const nouns = words(`
  계약 계약서 계약금 본계약 조항 조문 조건 특약 약관 약정 합의 협의 참조항목 참조 항목 당사자 상대방 갑 을 발주자 발주처 수급인 도급인 수급자 위탁자 수탁자
  공급자 공급사 제공자 이용자 매도인 매수인 임대인 임차인 사업주 근로자 가맹점 가맹본부 고객사 거래처 용역 업무 과업 도급 하도급 하청 재하도급 재위탁
  대금 대가 보수 금액 비용 수수료 로열티 임금 급여 월급 수당 퇴직금 계약금 선급금 선금 중도금 잔금 착수금 기성금 보증금 차임 월세 임대료 정산 청구 청구서
  세금 세금계산서 부가세 부가가치세 이자 지연이자 연체 연체료 지체상금 지체 지연 지급 지불 입금 송금 상환 반환 환불 공제
  납품 납기 인도 인수 검수 검사 하자 하자보수 보수공사 유지보수 보증 담보 품질 성능 사양 규격 산출물 결과물 성과물 변경 추가 수정 기한 기간 일정 기일
  만료 종료 해지 해제 취소 철회 중단 중지 갱신 연장 재계약 효력 발효 시행 이행 불이행 위반 귀책 과실 고의 책임 면책 의무 권리 손해 손실 손해배상 배상 보상
  위약금 위약벌 벌칙 과태료 한도 상한 비밀 비밀유지 기밀 개인정보 정보보호 보안 누설 유출 지식재산권 지적재산권 저작권 특허 상표 소유권 사용권 이용권 라이선스
  권리의무 양도 이전 승계 담보제공 질권 불가항력 천재지변 분쟁 소송 중재 조정 관할 관할법원 준거법 통지 통보 서면 동의 승인 보험 안전 안전사고 재해
  파산 회생 부도 압류 가압류 경업 경업금지 독점 겸업 휴가 연차 근로시간 근무시간 휴게 해고 인수인계 교육 보고 자료제공 감사 점검 별지 별표 부칙 붙임 첨부
  표준계약서 표준 서명 날인 정의 목적 해석 총칙 관계법령 법령 준수 부담 규정 근로 근무 기본급 상여금 휴일 퇴직 퇴사 사직 산재 임대 임차 저작물 이용료 사용료 재고 반품 돈 물건 물품 제품 기자재 장비 현장 공사 설계 시공 준공 착공`);

const tails = words(
  '서 금 금액 일 율 률 비율 비 비용 액 권 권리 자 인 측 기한 기간 사항 조항 조건 조치 방법 방식 절차 기준 범위 내용 의무 책임 여부 사유 종류 횟수 시기 시점 날짜 주기 한도 상한 청구 통지 관계 대상 주체 요건 제한 금지 처리 부분 항목 규정 조 들 시 후 전 중',
);

const englishNouns = words(`
  contract agreement clause clauses article articles section sections party parties supplier buyer seller customer licensor licensee provider contractor subcontractor
  vendor client landlord tenant employer employee price fee fees payment pay paid invoice invoices deposit royalty penalty penalties interest tax taxes delivery deliver
  deliverables inspection acceptance defect defects defective warranty warranties guarantee liability liable indemnity indemnify indemnification damages damage loss
  termination terminate cancel cancellation renewal renew term terms expiry expire expiration breach default notice confidentiality confidential nda disclosure
  intellectual property copyright patent trademark ownership licence license assign assignment subcontract insurance force majeure dispute arbitration jurisdiction
  governing law audit audits compliance amend amendment waiver severability exhibit schedule annex appendix definitions remedy remedies refund shipment shipping late
  delay delayed forecast order orders obligation obligations rights recall product products goods services`);

/** Words about the outside world that no contract contains. */
const foreign = words(`
  날씨 기온 미세먼지 일기예보 주식 주가 코스피 환율 비트코인 코인 로또 복권 맛집 식당 카페 요리 레시피 점심 저녁메뉴 영화 드라마 노래 음악 게임 축구 야구
  농구 올림픽 월드컵 여행 여행지 관광지 항공권 호텔 뉴스 운세 농담 유머 연예인 아이돌 대통령 선거 수도 인구 번역기 수학 다이어트 운동법 강아지 고양이`);
const englishForeign = words(`
  weather forecast temperature stock stocks bitcoin lottery restaurant restaurants recipe recipes movie movies song songs music football soccer baseball basketball
  olympics travel hotel flight flights news horoscope joke jokes celebrity president election capital population diet dog cat`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

const particle =
  /^(?:들?(?:이?랑|이?나|에는|에서는|에서도|에서|에게|에도|에|으로는|으로|로는|로|은|는|이|가|을|를|의|도|만|과는|과|와는|와|까지|부터|마다|보다|처럼|이란|란|이?라는|이?라도|이?면|이?고|대로|별로|뿐)?(?:요|은|는|도|만)?|(?:이?야|이?에요|예요|이?죠|이?지|인가|인가요|인지|입니까|입니다|일까|일까요|이?냐|이?니)|(?:하|한|할|해|했|합|되|된|될|돼|됐|됩|시키|시켜|당하|당한|당할|받|드리|못|안|없|있|주|줘|준|줄|내|낼|낸|걸|늦).{0,7})$/u;

/** True if the word consists of nouns of the vocabulary and an ending. */
function isMadeOf(word: string, vocabulary: ReadonlySet<string>): boolean {
  let rest = word;
  for (let first = true; ; first = false) {
    const noun = longestStart(rest, vocabulary) ?? (first ? undefined : longestStart(rest, tails));
    if (noun === undefined) return !first && particle.test(rest);
    if (first && noun.length === 1 && !particle.test(rest.slice(1))) return false; // `갑`, `을`, `돈` count only as whole words
    rest = rest.slice(noun.length);
    if (rest === '' || particle.test(rest)) return true;
  }
}

const maxNounChars = 8;

function longestStart(text: string, vocabulary: ReadonlySet<string>): string | undefined {
  for (let length = Math.min(maxNounChars, text.length); length > 0; length--) {
    const start = text.slice(0, length);
    if (vocabulary.has(start)) return start;
  }
  return undefined;
}

/** Returns the words of a text in lower case, without punctuation. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** True if the text has a word of the contract vocabulary. */
export const hasContractWord = (text: string): boolean => wordsOf(text).some((word) => englishNouns.has(word) || isMadeOf(word, nouns));

/** `잘릴 수도 있나요`, `수도 요금`: 수도 does not mean a capital city here. */
const noCapital = /수도(?=\s*(?:있|없|요금|세\b|비\b))/gu;

/** True if the text has a word about the outside world. Words of the contract itself do not count, such as 영화 in a contract about films. */
export function hasForeignWord(text: string, contract = ''): boolean {
  const known = contract.toLowerCase();
  const isStrange = (word: string): boolean => !known.includes(word);
  const korean = new Set([...foreign].filter(isStrange));
  return wordsOf(text.replace(noCapital, '')).some((word) => (englishForeign.has(word) && isStrange(word)) || isMadeOf(word, korean));
}
