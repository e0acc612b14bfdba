/**
 * Words that mean the same, a group to a line: what one of them asks for, another one answers. Strict on purpose, for silence is judged by
 * them: an arbitration (중재) is no dispute (분쟁), a cap (상한) is not what exceeds it (초과). The looser list for ranking is `legal-words.ts`.
 */
const groups = `
  buy purchase acquire procure
  sell sale resale
  car vehicle automobile truck
  house home dwelling residence apartment premises
  building premises facility facilities
  staff employee employees personnel worker workers workforce
  boss employer
  job employment position
  pay payment payable paid
  salary wage wages compensation remuneration
  fee fees charge charges
  price prices pricing
  cost costs expense expenses
  bill invoice invoices
  money sum amount payment
  refund reimburse reimbursement
  end terminate termination expire expiry expiration
  cancel cancellation terminate termination rescind
  quit resign resignation
  fire fired dismiss dismissal
  stop cease suspend suspension discontinue
  renew renewal extend extension
  duration term period
  start commence commencement begin beginning
  late delay delayed overdue
  deadline due
  break breach violate violation default
  fix repair repairs remedy correct
  bug defect defects defective error errors
  faulty defective nonconforming
  test tests testing inspection
  check inspect inspection examine
  audit audits inspect examine examination
  books records accounts
  court courts tribunal
  law laws statute statutes legislation
  rule rules regulation regulations policy policies
  sue suit lawsuit litigation action
  settle settlement resolve resolution
  damage damages loss losses harm injury
  liable liability responsible responsibility
  limit limitation limited cap maximum
  minimum least
  maximum exceed most
  unlimited uncapped
  compensate compensation indemnify reimburse
  secret confidential confidentiality proprietary
  share disclose disclosure
  privacy personal data
  own ownership owner title
  transfer assign assignment convey
  licence license licensed licensing
  permission consent approval authorization
  permit allow consent
  forbid forbidden prohibit prohibited prohibition restrict restricted
  ban prohibit prohibited
  compete competing competition competitive competitor
  poach solicit solicitation recruit hire
  badly negative disparage disparaging
  exclusive exclusively sole solely
  only solely exclusively
  partner partners partnership
  subcontractor subcontract subcontracting outsource outsourcing
  supplier vendor seller manufacturer
  customer client buyer purchaser
  tenant lessee renter
  landlord lessor
  rent rental
  lender creditor bank
  borrower debtor
  loan credit advance
  collateral security pledge
  profit profits earnings income
  revenue revenues receipts sales proceeds
  royalty royalties
  tax taxes duties levy
  goods products merchandise items
  product products goods
  services work
  ship shipment shipping delivery deliver transport
  warehouse storage
  software program application
  website site web
  trademark mark marks brand logo
  invention inventions patent patents
  created developed conceived
  insurance insured insurer coverage
  accident accidents injury
  bankrupt bankruptcy insolvent insolvency
  sold sale transfer acquired acquisition
  merge merger merges consolidation
  training train instruction
  support maintenance
  report reports reporting statement statements
  tell notify notice inform
  letter notice
  email e-mail electronic
  change changes amend amendment modify modification alter
  holiday holidays vacation leave
  sick illness
  bonus bonuses incentive
  shares stock equity
  director directors board
  vote voting votes
  gift gifts bribe bribery
  ads advertising advertisement advertisements
  promote promotion promotional marketing
  territory region area country
  worldwide global
  copy copies counterpart counterparts
  sign signed signature execute executed
  invalid unenforceable void
  disaster majeure
  penalty penalties liquidated
  quality standard standards
  waste hazardous
  safety safe
  복비 중개보수 중개수수료
  밥값 식대 식비
  점심 휴게 식사
  데이터 자료 정보
  차값 매매대금 대금
  소문 밖에 누설
  복사 사본 복제
  간판 영업표지 상표
  수수료 요금 보수
  전등 전구 조명
  월급 임금 급여 봉급 급료 보수
  돈 대금 금액 금원 비용
  값 가격 단가 대금
  월세 차임 임대료 임차료 집세
  집주인 임대인
  건물주 임대인
  세입자 임차인
  직원 근로자 종업원 임직원 사원 인력
  사장 사용자 사업주 대표이사
  회사 사용자 사업주
  본사 가맹본부 본부
  점주 가맹점사업자 가맹점주
  가게 점포 매장 가맹점
  거래처 매수인 매도인 상대방
  고객 이용자 소비자 회원
  그만두 사직 퇴직 해지 퇴사
  그만 사직 해지 종료
  관두 사직 퇴직 해지
  나가 퇴거 퇴직 해지 명도
  짤리 해고
  잘리 해고
  쫓겨나 해지 명도 해고
  끝 종료 만료
  끝나 종료 만료
  끝내 종료 해지
  깨 해제 해지
  취소 해제 취소 철회
  돌려 반환 환급
  돌려받 반환 환급
  환불 환급 반환
  갚 상환 변제
  빌려 대여 임대 차용
  빌린 대여 차용
  늦 지체 지연 연체
  밀리 연체 지체
  안줘 미지급 체불 지체
  고쳐 수리 수선 보수
  고장 하자 장애 수선 수리
  망가 파손 훼손 고장
  부서 파손 훼손
  불량 하자 결함
  결함 하자
  버그 하자 오류 장애
  검사 검수
  배송 운송 인도 납품
  물건 물품 상품 제품 목적물
  재료 원재료 자재 식자재
  결과물 산출물 성과물 납품물
  만든 제작 개발 작성
  올려 인상 증액
  오르 인상 증액
  깎 감액 할인 인하
  내려 감액 인하
  떼 공제 상계
  빼 공제
  세금 조세 제세공과금 부가가치세
  부가세 부가가치세
  이자 이율 이자율 지연손해금
  계약금 선금 선급금 착수금
  잔금 잔금 잔대금
  벌금 위약금 위약벌 과태료
  위약금 위약벌
  물어내 배상 변상
  물어줘 배상 변상
  보상 배상 보상
  다치 재해 부상 상해 산재
  사고 재해 사고
  아프 질병 병가 상병
  휴가 연차 휴가
  연차 연차유급휴가 연차휴가
  쉬 휴게 휴일 휴무
  야근 연장근로 연장근무 야간근로
  초과근무 연장근로
  퇴근 종업 근로시간
  출근 시업 근로시간
  보너스 상여금 성과급
  비밀 기밀 영업비밀
  소문 누설
  유출 누설 유출
  홍보 광고 판촉
  하청 하도급 재위탁
  외주 하도급 재위탁
  맡기 위탁 의뢰
  넘기 양도 인도 이전
  팔 판매 매도
  사 구매 매수 매입
  주문 발주
  소송 소송 소
  재판 소송 법원
  싸우 분쟁
  다툼 분쟁
  알려 통지 통보 고지
  연락 통지
  허락 동의 승낙 승인
  동의 승낙 승인
  몰래 동의
  강아지 반려동물 애완동물
  고양이 반려동물 애완동물
  담배 흡연
  이사 퇴거 명도
  인테리어 시설 수선 개조
  보일러 난방 설비 수선
  차 자동차 차량
  집 주택 건물
  방 주택 건물 목적물
  땅 토지
  직장 회사 사업장
  투잡 겸업 겸직
  부업 겸업 겸직
  경쟁사 경쟁업체 동종
  지진 천재지변
  태풍 천재지변
  코로나 감염병
  파산 파산 회생
  망하 파산 회생 폐업
  부도 부도 파산
  교육 교육 연수
  도장 날인 서명
  사인 서명 날인
  주식 주식 지분
  상속 상속 승계
`;

const synonyms: ReadonlyMap<string, readonly string[]> = toMap();

/** What means the same as a word; nothing for a word that is not in the list. */
export const synonymsOf = (word: string): readonly string[] => synonyms.get(word.toLowerCase()) ?? [];

function toMap(): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, Set<string>>();
  for (const line of groups.trim().split('\n')) {
    const words = line.trim().split(' ');
    for (const word of words) {
      const others = map.get(word) ?? new Set();
      for (const other of words) if (other !== word) others.add(other);
      map.set(word, others);
    }
  }
  return new Map([...map].map(([word, others]) => [word, [...others]]));
}
