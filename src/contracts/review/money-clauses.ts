import type { ClauseKind } from './clause-kind.ts';

const raw = String.raw;
const mutual = raw`\b(?:each|either|neither|both|no) part(?:y|ies)\b|\bmutual`;
const mutualKo = raw`당사자|쌍방|상호|각자|서로`;
const depositKo = '보증금|계약금|예치금|선급금|증거금|적립금|예약금';

/** Clauses about payment, deposits, interest and costs. */
export const moneyClauses: readonly ClauseKind[] = [
  {
    kind: 'long-payment-term',
    title: { en: 'Long time for payment', ko: '긴 대금 지급 기한' },
    reason: {
      en: 'The money comes 60 days or more after it is due elsewhere.',
      ko: '대금을 60일 이상 지난 뒤에야 받는다. 하도급·대규모유통 거래라면 법정 기한을 확인해야 한다.',
    },
    rules: {
      en: [
        {
          match: raw`\b(?:pay|pays|payable|paid|settles?|remits?|(?:falls?|is|are|becomes?) due)\b.{0,100}\b(?:within|after|net|days? (?:of|from)|from)\b`,
          and: raw`\b(?:invoices?|prices?|fees?|amounts?|sums?|charges|compensation|commission|royalt\w+)\b`,
          unless: raw`\bkeep|\bretain|\brecords?\b|\bterminat|\bnotice of|\binterest\b|\bentitled\b`,
          days: { atLeast: 60 },
          burdens: 'other',
        },
      ],
      ko: [
        {
          match: raw`(?:지급|치르|치른|결제|송금|정산|낸다|내야)`,
          and: raw`(?:대금|보수|비용|금액|요금|수수료|사용료|공사비|용역비|인세|단가).{0,80}|청구|세금계산서`,
          unless: raw`보관|지연|연체|해지|이자|보증금|기간은|지나도록|미룬|넘긴|넘게|멈출`,
          days: { atLeast: 60 },
          burdens: 'other',
        },
      ],
    },
  },
  {
    kind: 'pay-when-paid',
    title: { en: 'Paid only when the payer is paid', ko: '원청이 돈을 받아야 지급' },
    reason: {
      en: 'Payment depends on money that someone else must pay first.',
      ko: '다른 사람이 돈을 주어야 대금을 받을 수 있다. 하도급 거래라면 부당특약인지 확인해야 한다.',
    },
    rules: {
      en: [
        {
          match: raw`\b(?:pay|pays|payable|payment|paid)\b.{0,120}\b(?:only\b.{0,20})?(?:if|after|until|when|once|upon|unless|to the extent|condition\w*)\b.{0,80}\b(?:has|have|is|are|been) (?:first |actually |fully )?(?:paid|received|collected)`,
          unless: raw`\bwhether or not|regardless|irrespective|\binvoice|\bdeposit\b|\bgoods\b|\binterest\b`,
          burdens: 'other',
        },
        {
          match: raw`\b(?:not (?:be )?payable|no (?:fee|payment) is (?:due|payable)|payment\b.{0,30}\bconditional)\b.{0,80}\b(?:receipt of payment|paid|received|collected)`,
          unless: raw`\bwhether or not|regardless|irrespective`,
          burdens: 'other',
        },
      ],
      ko: [
        {
          match: raw`(?:대금|돈|금액|기성금|공사비|용역비|보수|수수료)(?:을|를|의)?\s?(?:먼저\s?|모두\s?|전부\s?)?(?:지급받|수령|받은|받아|회수|입금|수금).{0,30}(?:후|뒤|때|날|경우|한하여|못한|못하|않|동안|다음).{0,80}(?:지급|청구|결제|준다)`,
          unless: raw`관계\s?없이|상관\s?없이|여부와|세금계산서|선급금|업체에\s?대한|하수급인에`,
          burdens: 'other',
        },
      ],
    },
  },
  {
    kind: 'deposit-forfeited',
    title: { en: 'Deposit that is not returned', ko: '돌려주지 않는 보증금·계약금' },
    reason: {
      en: 'The whole deposit may be lost, whatever the actual loss is.',
      ko: '실제 손해와 관계없이 보증금이나 계약금 전부를 잃을 수 있다.',
    },
    rules: {
      en: [
        {
          match: raw`\b(?:deposits?|down payment|earnest money|retention|prepayment|advance payment)\b.{0,100}\b(?:forfeit\w*|retained by|kept by|belongs? to|remains? with)\b(?: (?:to|by|with))?(?: the)? {who}`,
          unless: raw`\bless\b|\bafter deduct`,
          burdens: 'not-who',
          confidence: 'certain',
        },
        {
          match: raw`\b(?:deposits?|down payment|earnest money|prepayment|advance payment)\b.{0,100}\b(?:forfeit\w*|not (?:be )?(?:returned|refunded|repaid|refundable)|non-?refundable)|\bforfeits?\b.{0,40}\b(?:deposit|down payment|earnest money)`,
          unless: raw`\b(?:is|are|was) not (?:returned|refunded|repaid) within|if\b.{0,40}\bnot (?:returned|refunded|repaid)`,
          burdens: 'subject',
        },
      ],
      ko: [
        {
          match: raw`(?:${depositKo}).{0,60}{who}(?:에게|에|의)\s?(?:귀속|소유|수입)`,
          burdens: 'not-who',
          confidence: 'certain',
        },
        {
          match: raw`(?:${depositKo}).{0,60}(?:반환(?:하지|되지|받을\s?수\s?없|을?\s?청구할\s?수\s?없|을?\s?요구하지)|돌려(?:주지|받지|받을\s?수\s?없)|환불(?:하지|되지)|몰수)`,
          unless: raw`(?:반환하지|돌려주지)\s?(?:아니|않)(?:하면|으면|한\s?(?:때|경우)|은\s?(?:때|경우)|하는\s?(?:때|경우)|는\s?(?:때|경우))|때까지|기한까지`,
          burdens: 'subject',
        },
      ],
    },
  },
  {
    kind: 'no-refund',
    title: { en: 'No refund', ko: '환불 불가' },
    reason: {
      en: 'Money paid in advance is lost, also if the service ends early.',
      ko: '중간에 끝나도 미리 낸 돈을 돌려받지 못한다.',
    },
    rules: {
      en: [
        {
          match: raw`\bnon-?refundable|\bnot (?:be )?(?:refund\w*|repaid|reimbursed|credited)|\bno (?:refunds?|repayment|right to (?:a |any )?(?:refund|get back|recover|reclaim|repayment))`,
          unless: raw`\b(?:deposits?|down payment|earnest money)\b|\bexcept\b.{0,60}\brefund|\bif\b.{0,40}\bnot (?:refunded|repaid)`,
          burdens: 'subject',
        },
      ],
      ko: [
        {
          match: raw`(?:환불|반환|환급)(?:은|을|이|도)?\s?(?:일체\s?)?(?:하지\s?(?:아니|않)|되지\s?(?:아니|않)|불가|받을\s?수\s?없|청구할\s?수\s?없|청구하지|요구할\s?수\s?없|해\s?주지|하여\s?주지)`,
          and: raw`료|금|대금|비용|요금|돈|회비|수강`,
          unless: raw`(?:${depositKo})|(?:아니|않)(?:하면|으면|한\s?(?:때|경우)|은\s?(?:때|경우)|하는\s?(?:때|경우)|는\s?(?:때|경우))`,
          burdens: 'subject',
        },
      ],
    },
  },
  {
    kind: 'high-interest',
    title: { en: 'High interest', ko: '높은 이자·지연손해금' },
    reason: {
      en: 'The interest is above 15 percent a year.',
      ko: '이율이 연 15퍼센트를 넘는다. 금전대차의 법정 최고이자율은 연 20퍼센트이다.',
    },
    rules: {
      en: [
        {
          match: raw`\binterest\b.{0,80}(?:\brate|\bper (?:annum|month|year|day)|\ba (?:month|year)|%|percent)|\blate (?:fees?|charges?)\b`,
          unless: raw`\bvoting|\bownership|\bequity|\bcontrol`,
          interestAbove: 15,
          burdens: 'subject',
          confidence: 'certain',
        },
      ],
      ko: [{ match: raw`이자|지연\s?손해금|지연\s?배상금|연체료|이율`, interestAbove: 15, burdens: 'subject', confidence: 'certain' }],
    },
  },
  {
    kind: 'all-costs',
    title: { en: 'All costs on one side', ko: '비용의 일방 부담' },
    reason: {
      en: 'One side pays every cost, also those that it did not cause.',
      ko: '원인이 무엇이든 비용 전부를 한쪽이 낸다.',
    },
    rules: {
      en: [
        {
          match: raw`\b(?:bears?|pays?|meets?|carry|carries|assumes?)\b.{0,40}\b(?:any and all|all|every|the (?:entire|whole|full)|any)\b.{0,40}\b(?:costs?|expenses?|repairs?|taxes|charges)\b`,
          unless: raw`${mutual}|\bits own\b|\brespective|\bonly\b|\bup to\b|\bminor|\bsmall`,
          and: raw`\b(?:whatever|whatsoever|regardless|irrespective|howsoever|every|any and all|of any kind|structural|without exception|including)\b`,
          burdens: 'subject',
        },
        {
          match: raw`\b(?:all|any and all|every)\b.{0,30}\b(?:costs?|expenses?|repairs?|taxes|charges)\b.{0,80}\b(?:for the (?:sole )?account of|borne (?:\w+ )?by|at the (?:sole )?(?:cost|expense) of|payable by|paid by)(?: the)? {who}`,
          unless: raw`${mutual}|\bup to\b`,
          burdens: 'who',
        },
      ],
      ko: [
        {
          match: raw`(?:비용|수리비|수선비|공과금|경비|부담금|보수비|제세공과금|세금).{0,60}(?:모두|전부|전액|일체|전적으로).{0,20}{who}(?:이|가|의|측)?\s?부담`,
          unless: raw`각각|반씩|균등|절반|나누어|공동|${mutualKo}`,
          burdens: 'who',
        },
        {
          match: raw`(?:모든|일체의?|제반|어떠한)\s?(?:[가-힣]+\s?){0,4}(?:비용|수리비|수선비|경비|세금|공과금).{0,60}부담(?:한다|하며|하고|하여야|합니다|으로)`,
          unless: raw`각각|반씩|균등|절반|나누어|공동|부담하지|${mutualKo}`,
          burdens: 'subject',
        },
        {
          match: raw`(?:비용|수리비|수선비|경비).{0,40}(?:모두|전부|전액|일체)(?:를|을)?\s?부담(?:한다|하며|하고|하여야|합니다)`,
          unless: raw`각각|반씩|균등|절반|나누어|공동|부담하지|${mutualKo}`,
          burdens: 'subject',
        },
      ],
    },
  },
];
