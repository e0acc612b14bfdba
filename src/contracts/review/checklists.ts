import type { ReviewLanguage } from './contract-review.ts';
import type { ContractType } from './contract-types.ts';

/** A point that contracts of a type usually settle. */
export interface ChecklistPoint {
  readonly point: string;
  readonly title: Readonly<Record<ReviewLanguage, string>>;
  /** Wording that settles it, in either language. */
  readonly found: RegExp;
}

const point = (name: string, en: string, ko: string, found: RegExp): ChecklistPoint => ({ point: name, title: { en, ko }, found });

const termination = point(
  'termination',
  'Termination',
  '해지·해제',
  /terminat\w+|rescind|rescission|\bcancel (?:this|the) (?:agreement|contract|lease)|end (?:this|the) (?:agreement|contract|lease)|해지|해제|해고|퇴직|사직/i,
);
const disputes = point(
  'disputes',
  'Law and disputes',
  '준거법·분쟁 해결',
  /governing law|governed by|applicable law|laws? of (?:the )?[A-Z]|jurisdiction|arbitrat\w+|disputes?\b.{0,80}(?:court|settled|resolved|mediat)|관할|분쟁|중재|준거법|소송/i,
);
const term = point('term', 'Term', '계약기간', /\bterm\b(?!s)|duration|\bperiod of\b|in force|expir\w+|begins? on|기간|존속|만료/i);
const liability = point(
  'liability',
  'Liability',
  '손해배상·책임',
  /\bliab\w+|\bdamages\b|indemnif\w+|hold harmless|compensat\w+ for (?:loss|damage)|손해|배상|책임/i,
);
const confidentiality = point('confidentiality', 'Confidentiality', '비밀유지', /confiden\w+|\bsecre(?:t|cy)|non-?disclosure|비밀|기밀/i);
const payment = point(
  'payment',
  'Time and way of payment',
  '대금의 지급 시기와 방법',
  /\bpay(?:able|ment|ments|s)?\b.{0,100}(?:within|days|month|on the|upon|in advance|before|after|invoice|instal|\bby\b|later than|until|\bon \d|20\d\d)|invoices?|대금의?\s?지급|지급\s?(?:시기|방법|기한)|(?:대금|잔금|계약금|중도금|선급?금|착수금|보수|비용|사용료|용역비|단가|금액|료).{0,80}(?:지급|송금|납부|결제|치른|낸다)/i,
);

const points: Readonly<Record<ContractType, readonly ChecklistPoint[]>> = {
  lease: [
    point('premises', 'Premises', '목적물', /premises|property|apartment|flat|house|building|목적물|부동산|주택|건물|상가|소재지/i),
    point('rent', 'Rent', '차임', /\brent\b|차임|월세|임대료|전세금/i),
    point('deposit', 'Deposit', '보증금', /deposit|보증금|전세금/i),
    point(
      'deposit-return',
      'Return of the deposit',
      '보증금의 반환',
      /(?:return|refund|repa(?:y|id))\w*.{0,60}deposit|deposit.{0,120}(?:return|refund|repa(?:y|id)|given back)|보증금.{0,80}(?:반환|돌려|환급)|(?:반환|돌려).{0,30}보증금/i,
    ),
    term,
    point('repairs', 'Repairs', '수선·수리', /repair|maint(?:ain|enance)|수선|수리|유지\s?보수|하자/i),
    point('sublease', 'Subletting', '전대·양도', /sub-?le(?:t|ase)\w*|sub-?tenan\w+|assign\w*|전대|양도|전차/i),
    point(
      'condition-at-end',
      'Condition at the end',
      '원상회복',
      /(?:surrender|vacate|hand (?:back|over)|return|redeliver|restore)\w*.{0,60}(?:premises|flat|apartment|property|condition)|(?:same|good) (?:order|condition)|wear and tear|원상|원래\s?상태|명도/i,
    ),
    point(
      'utilities',
      'Utilities and charges',
      '관리비·공과금',
      /utilit\w+|electric\w*|water|service charge|maintenance fee|관리비|공과금|수도|전기/i,
    ),
    termination,
    disputes,
  ],
  employment: [
    point('work', 'Work', '업무의 내용', /\bdut(?:y|ies)\b|position|job|role of|hired as|업무|직무|직책|담당/i),
    point(
      'place-of-work',
      'Place of work',
      '근무 장소',
      /place of work|work(?:ing)? (?:place|location)|workplace|office (?:in|at)|remote|근무\s?(?:장소|지|처)|일할\s?(?:장소|곳)|취업\s?장소|사업장에서/i,
    ),
    point('wage', 'Wage', '임금', /salary|wages?|remuneration|compensation|\bpay of|임금|급여|월급|연봉|시급|기본급/i),
    point(
      'wage-payment',
      'Day and way of payment',
      '임금의 지급일과 방법',
      /(?:salary|wages?|compensation|remuneration).{0,80}(?:paid|payable)|paid (?:monthly|weekly|on)|payroll|(?:임금|급여|월급|연봉|시급).{0,60}(?:지급|계좌|입금)|지급일/i,
    ),
    point(
      'hours',
      'Working hours',
      '소정근로시간',
      /working (?:hours|time)|hours (?:per|a|each) (?:week|day)|full-?time|part-?time|근로\s?시간|근무\s?시간|시업|종업/i,
    ),
    point('days-off', 'Days off', '휴일', /days? off|holidays|weekends?|sundays?|rest days?|휴일|주휴|휴무/i),
    point('leave', 'Annual leave', '연차유급휴가', /annual leave|paid leave|vacation|paid time off|\bPTO\b|휴가|연차/i),
    point(
      'social-insurance',
      'Insurance and benefits',
      '사회보험',
      /social (?:security|insurance)|health insurance|benefits?\b|pension|401\(k\)|사회\s?보험|4대\s?보험|고용\s?보험|국민연금|산재/i,
    ),
    term,
    termination,
  ],
  services: [
    point(
      'scope',
      'Scope of the services',
      '용역의 범위',
      /scope|services?\b.{0,60}(?:described|provide|consist)|shall (?:provide|perform)|statement of work|범위|과업|업무의?\s?내용|용역의?\s?내용|수행한다|제작한다|개발한다/i,
    ),
    point(
      'change-of-scope',
      'Changes of the scope',
      '과업의 변경',
      /change (?:orders?|requests?)|chang\w+.{0,60}(?:scope|services|work)|(?:scope|services).{0,60}(?:chang|amend|modif)\w*|additional (?:services|work)|변경\s?(?:요청|합의|절차)|(?:과업|용역|업무|범위|설계)(?:의|내용의?)?\s?.{0,12}변경|추가\s?(?:과업|작업|업무)/i,
    ),
    point('fee', 'Fee', '용역대금', /\bfees?\b|price|remuneration|compensation|rates?\b|대금|보수|용역비|금액|공사비|수수료/i),
    payment,
    point(
      'acceptance',
      'Acceptance',
      '검수',
      /accept(?:ance|s|ed)? (?:test|criteria|of|or reject|the|each)|inspect\w*|approval of|검수|검사|인수|준공\s?(?:검사|확인)/i,
    ),
    term,
    point(
      'intellectual-property',
      'Rights in the results',
      '지식재산권의 귀속',
      /intellectual property|copyright|ownership of|owns? the|work product|work(?:s)? made for hire|지식\s?재산|지적\s?재산|저작권|소유권|권리의?\s?귀속/i,
    ),
    confidentiality,
    liability,
    termination,
    disputes,
  ],
  sale: [
    point('goods', 'Goods', '물품', /goods|products?|quantit\w+|specification|equipment|물품|제품|목적물|수량|규격|상품|부동산/i),
    point('price', 'Price', '가격', /\bprices?\b|consideration|가격|단가|대금|매매\s?대금|금액/i),
    payment,
    point('delivery', 'Delivery', '인도·납품', /deliver\w*|ship\w*|incoterms|인도|납품|배송|공급\s?기한|넘겨/i),
    point('inspection', 'Inspection', '검사', /inspect\w*|acceptance|examin\w+|non-?conform\w+|검사|검수|하자의?\s?통지|이상\s?유무/i),
    point(
      'warranty',
      'Warranty',
      '하자·품질 보증',
      /warrant\w*|guarant(?:ee|y)\w*|defect\w*|conform to|하자|품질\s?보증|보증\s?기간|담보책임/i,
    ),
    point(
      'title-and-risk',
      'Title and risk',
      '소유권과 위험의 이전',
      /\btitle\b (?:to|passes|in|and)|ownership|risk of loss|risk (?:passes|of)|incoterms|\bF\.?O\.?B\b|\bC\.?I\.?F\b|소유권|위험의?\s?(?:이전|부담)|위험은/i,
    ),
    liability,
    termination,
    disputes,
  ],
  licence: [
    point(
      'subject',
      'Subject of the licence',
      '허락의 대상',
      /grants?\b|licensed (?:software|marks?|products?|works?|materials?|technology|content)|대상|허락한다|사용권|이용권/i,
    ),
    point(
      'use',
      'Permitted use',
      '사용의 범위',
      /non-?exclusive|exclusive|territor\w+|permitted use|scope of|field of use|범위|비독점|독점|지역|목적으로/i,
    ),
    point(
      'fee',
      'Fee or royalty',
      '사용료',
      /\bfees?\b|royalt\w+|free of charge|royalty-free|price|사용료|로열티|실시료|인세|이용료|무상/i,
    ),
    term,
    point(
      'sublicence',
      'Sublicences',
      '재허락',
      /sub-?licen[cs]\w*|재허락|재실시|재사용\s?허락|서브\s?라이선스|제3자에게.{0,30}(?:사용|이용|허락)/i,
    ),
    point(
      'infringement',
      'Infringement by or of third parties',
      '제3자의 권리 침해',
      /infring\w+|third[- ]party (?:claims?|rights)|침해|제3자의\s?권리/i,
    ),
    liability,
    termination,
    disputes,
  ],
  nda: [
    point(
      'information',
      'Confidential information',
      '비밀정보의 정의',
      /confidential information["”]?\s*(?:means|shall mean|includes?|is)|비밀\s?정보["”]?(?:란|라\s?함|는|이란|의\s?정의|의\s?범위)/i,
    ),
    point('purpose', 'Permitted purpose', '사용 목적', /\bpurposes?\b|use it only|only to|solely (?:to|for)|목적|용도|외의\s?용도/i),
    point(
      'exceptions',
      'Exceptions',
      '예외',
      /publicly (?:available|known)|public domain|already (?:known|public)|independently developed|does not include|shall not include|exception|예외|공지|공개된\s?정보|독자적으로|제외/i,
    ),
    point(
      'recipients',
      'Permitted recipients',
      '알려도 되는 사람',
      /need[- ]to[- ]know|need to know|employees|advis[eo]rs|representatives|임직원|알아야\s?하는|자문/i,
    ),
    point(
      'duration',
      'Duration',
      '비밀유지 기간',
      /\b(?:years?|months?)\b|indefinite\w*|perpetu\w*|duration|\bterm\b(?!s)|기간|년간|\d\s?년|영구|무기한/i,
    ),
    point('return', 'Return or destruction', '반환·폐기', /return\w*|destr(?:oy|uction)\w*|delet\w+|반환|폐기|파기|돌려/i),
    point('remedies', 'Remedies', '위반의 효과', /injunct\w+|damages|remed\w+|specific performance|손해|배상|위약|금지를?\s?청구/i),
    disputes,
  ],
  other: [term, payment, liability, termination, disputes],
};

export const checklistOf = (type: ContractType): readonly ChecklistPoint[] => points[type];
