import { searchTokens } from '../../core/text/search-tokens.ts';

/** Rarity of a word, by its frequency in contract paragraphs: rare words score higher. */
const rarityByTier = { every: 0.3, general: 0.5, many: 1, some: 2, few: 3.2, unknown: 4.2 } as const;

/** General contract words, by frequency. Words outside the table are rare. */
const common: Readonly<Record<Exclude<keyof typeof rarityByTier, 'unknown'>, string>> = {
  every: `the a an agreement agreements contract contracts party parties shall will may other any all such under this that section clause term terms provision provisions
    hereunder thereof herein give given make made get have has had one two person people someone something anything thing things way case happen happens allow allowed
    need needed must able possible require required say says exist contain include included apply applies set forth there need want long much many who whose
    if but because although though whether unless yet nor per via up out off down away onto upon toward towards along beside besides despite except
    he him his she her hers they them their theirs us ours mine yours yourself myself himself herself itself themselves ourselves whatever whichever whoever am been being
    cannot can't couldn't don't doesn't didn't won't wouldn't isn't aren't wasn't weren't haven't hasn't shouldn't i'm i've i'll i'd we're we've we'll they're they've
    they'll you're he's she's let's got gonna gotta ought perhaps maybe really actually
    돼 돼요 되면 된다 됐 되지 되고 되어 안돼 말고 말면 마 말아 하고 하지 해도 해야 했는데 한다 하려면 하려고 할까 두고 둬도 놔도 놓고 써도 쓰고 갈까 가도 와도 줘도 주고 받고 받아도 있고 있으면 없으면
    없어 없나 없어도 않으면 않고 아니 아니면 아닌 대로 채로 뒤에 밖에 위해 통해 그럼 그러면 근데 그런데 하지만 걔 걔네 얘 쟤
    계약 계약서 당사자 조항 경우 내용 사항 관련 해당 모든 각 상대방 회사 우리 저희 제가 내가 본인 가능 여부 규정 조건 있는지 있나 있어 되나 되는지 하나 하면`,
  general: `keep kept last lasts lasted after before during within while until since once again always never ever also even still just only too very more most less least
    much many few several enough both either neither each every another same different certain specific general usual usually normally often sometimes automatically
    immediately directly properly fully partly early earlier late later soon next previous prior following first second third final finally own kind type sort form
    number list level point side area matter issue problem question answer reason cause cause basis way means method process step steps situation circumstance
    circumstances condition conditions rule rules detail details example fact idea plan purpose aim goal role effect result results outcome consequence consequences
    state stated country countries world place places location where whole half total quantity size extent degree good bad better best right wrong big small large
    long short high low full empty free open close available allowed permitted forbidden prohibited acceptable legal valid subject bound involved concerned related
    existing current present future past come comes go goes going leave take takes taken taking bring brings brought put puts set sets hold holds held let lets call
    called name named mean means use used using work works working do done doing act acts action ask asks asked tell told speak speaks spoken talk know known see seen
    look looks looking find found show shown try become becomes remain remains stay stays continue continues stop stops begin begins end ends start starts happen
    happened occur occurs arise arises result follow follows cover covers covered deal deals dealing handle handled treat treated regard regarding concern concerning
    lead leads help helps want wants wish wishes expect expected agree agreed decide decided choose chosen promise promises promised commit committed commitment
    restrict restricted restriction restrictions limit limits avoid prevent protect protected allow permit permits let force forced bear bears carry carries shared
    share shares split get gets getting receive receives offer offers offered accept accepts accepted refuse refuses reject raise raises increase increases change
    changes changed add added remove removed replace replaced move moves turn turns run runs running last ask put anyone anybody anything everyone everything
    nobody nothing none yes no not without against between among under over above below through across around about like as than then else instead
    other others somebody someone country's party's other's
    정말 그냥 혹시 바로 꼭 다시 먼저 나중 계속 항상 보통 특히 만약 만일 이미 아직 더 덜 많이 조금 전부 일부 모두 서로 같이 따로 다른 같은 어떤 무슨 아무 여기 거기 이번 다음
    이유 정도 종류 상황 방식 결과 과정 순서 목적 대상 범위 단계 부분 전체 하루 매달 매월 매년 한번 동안 이상 이하 이내 이후 이전`,
  many: `right rights obligation obligations notice written writing date day days month months year years time period pay payment party's company products product service
    services use used information business terminate termination effective without prior consent respect claim claims law laws breach provide provided amount fee fees
    cost costs third purpose obligated responsible required duty duties request receive received event events first new part place result
    기간 기한 시간 금액 비용 의무 책임 권리 지급 이용 사용 제공 통지 서면 동의 해지 손해 배상 업무 용역 대금 방법 절차 기준 날짜 언제 얼마 누가 처리 문제 사람 때문 필요`,
  some: `license licence licensed property intellectual confidential liability liable damages damage loss losses indemnify indemnity expense expenses customer customers
    buyer seller supplier purchaser distributor licensee licensor contractor client owner employee employees sale sales sell purchase price prices order orders delivery
    deliver material materials agent assign assignment approval approve compliance regulation regulations tax taxes insurance warranty warranties representation default
    cure expire expiration renewal renew extend initial exclusive interest market marketing territory mark marks trademark software data technology development work
    employment performance quality standard standards account records report reports invoice invoices proceeding court state action dispute arbitration govern governing
    own ownership title patent copyright content record change control competitor competing limit limitation maximum minimum remedy remedies transfer
    갱신 연장 종료 만료 보증 보증금 비밀 정보 개인정보 지식재산권 저작권 양도 위약금 하자 검수 납품 인도 이자 연체 임금 근로 휴가 근무 해고 퇴직 관할 법원 분쟁 준거법 보험
    임대 임차 임대료 차임 수리 원상 상품 제품 물품 가격 매출 수수료 로열티 상표 경쟁 독점 하도급 변경 수정 반환 환불 담보 세금`,
  few: `audit auditor book books royalty royalties revenue profit share shares stock merger acquisition escrow source code guarantee lender borrower loan tenant
    landlord rent premises lease inventory forecast shipment inspection acceptance specification specifications training support maintenance subcontract subcontractor
    publicity press release advertising beneficiary waiver severability counterpart counterparts amendment language currency export survival solicitation compete
    disparage exclusivity renewal convenience liquidated penalty bonus salary wages wage overtime vacation holiday leave probation severance retirement pension hours
    deposit repair repairs sublease utilities recall defect defects defective packaging insolvency bankruptcy force majeure
    상계 연장근로 수습 퇴직금 정년 연차 휴게 야근 수당 상여금 전대 관리비 주차 공과금 리콜 포장 재고 감사 장부 교육 유지보수 소스코드 중재 조정 위험 소유권 등기 주식 배당 이사회`,
};

const byToken: ReadonlyMap<string, number> = new Map(
  Object.entries(common).flatMap(([tier, words]) =>
    words
      .split(/\s+/u)
      .filter((word) => word !== '')
      .map((word) => [keyOf(word), rarityByTier[tier as keyof typeof rarityByTier]] as const),
  ),
);

function keyOf(word: string): string {
  return /[가-힣]/u.test(word) ? word : (searchTokens(word.replace(/['’]s?$/u, ''))[0] ?? word);
}

/** Endings that only Korean verbs have: `달아도`, `뜯어내야`, `관두려면`, `바꾸나요`. Hardly any noun ends so. */
const inflected =
  /(?:[가-힣](?:아|어|여|와|워|해|려|겨|내|놔|둬|줘|써|커)(?:도|야|서)|[가-힣](?:으면|려면|려고|다가|지만|는데|은데|나요|까요|을까|거나|거든|든지|는지|더라도|어요|아요|해요|세요|네요|지요|니까|습니다|습니까|잖아))$/u;

/**
 * Returns the rarity of a word, from 0.3 for `agreement` to 4.2 for a word that contracts rarely use. Forms of an English word share one
 * value. Function words and inflected Korean verbs have the lowest value: contracts use other forms of these verbs.
 */
export const wordRarity = (word: string): number =>
  // `non-compete` is as rare as its rarest part
  /[a-z]-[a-z]/iu.test(word) ? Math.max(...word.split('-').map(rarityOf)) : rarityOf(word);

const rarityOf = (word: string): number =>
  byToken.get(keyOf(word.toLowerCase())) ?? (inflected.test(word) ? rarityByTier.every : rarityByTier.unknown);
