import type { ClauseKind } from './clause-kind.ts';

const raw = String.raw;
const mutual = raw`\b(?:each|either|neither|both|no) part(?:y|ies)\b|\bmutual|\bthe parties\b`;
const mutualKo = raw`당사자|쌍방|상호|각자|서로`;

/** Clauses that let one side decide: changes, termination, renewal, courts, transfer. */
export const controlClauses: readonly ClauseKind[] = [
  {
    kind: 'unilateral-change',
    title: { en: 'One side may change price or terms', ko: '일방적인 가격·조건 변경' },
    reason: {
      en: 'One side may change what was agreed without the consent of the other.',
      ko: '상대방의 동의 없이 합의한 내용을 바꿀 수 있다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:may|can|reserves the right to|(?:is|are) entitled to|has the right to)(?! not)\b.{0,60}\b(?:amend|modify|change|revise|increase|raise|adjust|vary|alter|update)\b.{0,80}\b(?:prices?|fees?|charges?|rents?|rates?|terms?|conditions?|agreement|polic(?:y|ies)|services?|specifications?|scope|commission)`,
          unless: raw`${mutual}|\b(?:by|upon|with|subject to|after)\b.{0,30}\b(?:agreement|consent|approval)\b|\bmay (?:not|only)\b|\bindex\b|\bif\b.{0,40}\b(?:agree|consent)`,
          burdens: 'other',
        },
      ],
      ko: [
        {
          match: raw`(?:요금|가격|단가|대금|차임|월세|임대료|사용료|수수료|보수|약관|조건|내용|규정|서비스|이용료|정책|수량|사양).{0,60}(?:변경|조정|인상|개정|수정|증감|바꿀|올릴|고칠|증액|감액)(?:할|하여|해)?\s?수\s?있`,
          unless: raw`(?:합의|협의)(?:하여|하에|로|에|한|를|할)|(?:동의|승낙|승인)(?:를|을)?\s?(?:받|얻|구)(?!지)|(?:동의|승낙)한|${mutualKo}|청구할\s?수|요청할\s?수`,
          burdens: 'other',
        },
      ],
    },
  },
  {
    kind: 'unilateral-termination',
    title: { en: 'One side may end the contract at will', ko: '한쪽의 임의 해지' },
    reason: {
      en: 'One side may end the contract without a reason, and the other may not.',
      ko: '한쪽만 이유 없이 또는 즉시 계약을 끝낼 수 있다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:terminate|end|cancel|rescind)\b.{0,100}\b(?:at any time|for convenience|without (?:any )?(?:cause|reason)|for any(?: or no)? reason|no reason|in its (?:sole |own |absolute )*discretion|at will)`,
          unless: raw`${mutual}|\b(?:if|where|upon|in case)\b.{0,60}\b(?:breach\w*|fails?|default\w*|insolven\w+|bankrupt\w*)|\bnot (?:be )?(?:terminate|end|cancel)`,
          burdens: 'other',
        },
        {
          match: raw`\b(?:at any time|for convenience|without (?:any )?cause|for any reason)\b.{0,60}\b(?:terminate|end|cancel|rescind)\b`,
          unless: raw`${mutual}|\b(?:if|where|upon|in case)\b.{0,60}\b(?:breach\w*|fails?|default\w*|insolven\w+|bankrupt\w*)|\bnot (?:be )?(?:terminate|end|cancel)`,
          burdens: 'other',
        },
      ],
      ko: [
        {
          match: raw`(?:해지|해제|종료|취소|파기)(?:할|시킬)?\s?수\s?있`,
          and: raw`언제든지|언제라도|임의로|이유\s?없이|사유를?\s?(?:묻지|불문)|경영상|판단에\s?따라|필요에\s?따라|필요하다고|일방적|사정에\s?따라`,
          unless: raw`위반|불이행|이행하지|파산|부도|회생|연체|${mutualKo}|상대방|갑\s?(?:또는|과|이나)\s?을`,
          burdens: 'other',
        },
      ],
    },
  },
  {
    kind: 'automatic-renewal',
    title: { en: 'Automatic renewal', ko: '자동 갱신' },
    reason: {
      en: 'The contract goes on by itself unless a notice is given in time.',
      ko: '제때 알리지 않으면 계약이 저절로 연장된다.',
    },
    rules: {
      en: [
        {
          match: raw`\bautomatic(?:ally)?\b.{0,30}\b(?:renew|extend|continue|prolong)\w*|\b(?:renew|extend|continue|prolong)\w* automatically|\bautomatic (?:renewal|extension)|\bauto-?renew\w*|\broll(?:s|ed)? over|\bdeemed (?:to be |to have been )?(?:renewed|extended|prolonged)|\b(?:renew\w*|extend\w*|continues?|prolonged)\b.{0,60}\b(?:successive|consecutive|further|additional)\b.{0,20}\b(?:periods?|terms?|years?)\b.{0,80}\bunless|\bunless\b.{0,160}\b(?:renew\w*|extend\w*)\b.{0,60}\b(?:successive|consecutive|further|additional)\b`,
          unless: raw`\bnot (?:be )?(?:automatically )?(?:renew|extend)|\bno automatic|\bnothing\b.{0,60}\bautomatic|\b(?:renewed|extended) only (?:if|by)|\bnot automatic`,
          burdens: 'both',
          confidence: 'certain',
        },
      ],
      ko: [
        {
          match: raw`자동(?:으로|적으로)?\s?(?:\d+[년월개]+씩?\s?|[가-힣]+씩\s?)?(?:갱신|연장|재계약|계속)|(?:갱신|연장)(?:된|한|되는|하는)\s?것으로\s?(?:본|간주|보며|봅|보고)`,
          unless: raw`자동(?:으로|적으로)?\s?(?:갱신|연장)(?:되지|하지|은\s?없)|갱신되지\s?(?:아니한다|않는다)|(?:청구|요청|신청)한\s?(?:대로|기간)`,
          burdens: 'both',
          confidence: 'certain',
        },
        {
          match: raw`(?:통지|의사|이의|이견|해지|반대)[가-힣\s]{0,20}(?:없|않|아니)[가-힣]*[^.]{0,50}(?:갱신|연장)(?:된다|됩니다|되며|한다)`,
          unless: raw`(?:갱신|연장)(?:되지|하지)`,
          burdens: 'both',
          confidence: 'certain',
        },
      ],
    },
  },
  {
    kind: 'exclusive-venue',
    title: { en: 'Exclusive court', ko: '전속 관할' },
    reason: {
      en: 'A dispute can be brought only before the named court.',
      ko: '정해진 법원에서만 다툴 수 있다. 먼 곳이거나 상대방의 소재지이면 부담이 된다.',
    },
    rules: {
      en: [
        {
          match: raw`\bcourts?\b.{0,40}\b(?:at|of|in|for)\b.{0,20}\b(?:principal place of business|seat|domicile|registered office|headquarters|place of business)\b.{0,10}\bof (?:the )?{who}`,
          and: raw`\b(?:exclusive\w*|only|solely|sole)\b`,
          unless: raw`\bnon-?exclusive`,
          burdens: 'not-who',
          confidence: 'certain',
        },
        {
          match: raw`(?<!non-?)\bexclusive(?:ly)?\b.{0,30}\b(?:jurisdiction|venue|forum)|\b(?:solely|exclusively|only)\b.{0,40}\b(?:before|in|by|to)\b.{0,40}\bcourts?\b|\bcourts?\b.{0,60}\b(?:exclusive(?:ly)?|sole)\b.{0,20}\b(?:jurisdiction|venue|competen\w+)|\bsole (?:and exclusive )?(?:jurisdiction|venue|forum)`,
          unless: raw`\bnon-?exclusive jurisdiction|\bnot exclusive`,
          burdens: 'both',
          confidence: 'certain',
        },
      ],
      ko: [
        {
          match: raw`{who}의\s?(?:본점|본사|주소지|소재지|주된\s?사무소|영업소|주소).{0,30}(?:관할|법원)`,
          burdens: 'not-who',
          confidence: 'certain',
        },
        {
          match: raw`전속\s?(?:적\s?)?(?:합의\s?)?관할|(?:유일한|배타적인?)\s?관할|법원(?:만을|만이|에만|에서만)`,
          unless: raw`전속\s?관할로\s?하지`,
          burdens: 'both',
          confidence: 'certain',
        },
      ],
    },
  },
  {
    kind: 'assignment',
    title: { en: 'Transfer without consent', ko: '동의 없는 계약 양도' },
    reason: {
      en: 'One side may hand the contract to someone whom the other has not chosen.',
      ko: '상대방이 고르지 않은 사람에게 계약을 넘길 수 있다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:may|can|free to|entitled to|right to)(?! not)\b.{0,60}\b(?:assign|transfer|novate|delegate|subcontract)\b.{0,140}\bwithout\b.{0,50}\b(?:consent|approval|agreement|permission|notice|notifying|asking|informing)`,
          unless: raw`\b(?:neither|either|each|no) party\b|\bmay (?:not|only)\b.{0,20}\b(?:assign|transfer)\b.{0,60}\bwithout`,
          burdens: 'other',
          confidence: 'certain',
        },
      ],
      ko: [
        {
          match: raw`(?:동의|승낙|승인|통지|허락).{0,16}(?:없이|받지\s?(?:아니|않)|구하지|불문).{0,80}(?:양도|이전|넘길|넘겨|승계|위탁|처분|담보로).{0,24}수\s?있`,
          unless: mutualKo,
          burdens: 'other',
          confidence: 'certain',
        },
        {
          match: raw`(?:양도|이전|승계)할\s?수\s?있으며.{0,40}(?:동의|승낙)(?:한\s?것으로|를?\s?요하지)`,
          unless: mutualKo,
          burdens: 'other',
        },
      ],
    },
  },
  {
    kind: 'silence-consent',
    title: { en: 'Silence counts as consent', ko: '침묵을 동의로 봄' },
    reason: {
      en: 'If one side does not answer in time, it has agreed.',
      ko: '제때 답하지 않으면 동의하거나 승인한 것이 된다.',
    },
    rules: {
      en: [
        {
          match: raw`\b(?:deemed|considered|regarded|treated|taken|counts?)\b.{0,40}\b(?:accept\w*|approv\w*|agreed|consent\w*)`,
          and: raw`\b(?:does not|do not|fails?|has not|have not|silent|silence|unless|no (?:objection|response|reply|answer)|without (?:objecting|objection)|is not rejected|not rejected)\b`,
          unless: raw`\b(?:not|never) (?:be )?(?:deemed|considered|regarded|treated|taken)|\bsilence (?:is|shall) (?:never|not)`,
          burdens: 'silent',
        },
      ],
      ko: [
        {
          match: raw`(?:동의|승인|승낙|합격|수락|인정|확인|없는|검수|추인)(?:한|된|하는|을\s?한|에\s?합격한|을\s?받은)?\s?것으로\s?(?:본|봅|보며|간주|보고|추정)`,
          and: raw`(?:않|아니|없)(?:으면|하면|는|은|한|을)|침묵|무응답|답이\s?없|회신이?\s?없`,
          unless: raw`동의하지\s?(?:않은|아니한)\s?것|거절한\s?것|거부한\s?것|계약(?:기간)?.{0,20}(?:갱신|연장)`,
          burdens: 'silent',
        },
      ],
    },
  },
  {
    kind: 'sole-discretion',
    title: { en: 'One side decides alone', ko: '한쪽의 단독 판단' },
    reason: {
      en: 'One side alone decides a question that both have an interest in.',
      ko: '양쪽에 중요한 문제를 한쪽이 혼자 정한다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`{who}(?:'s|’s) (?:sole|absolute|unfettered|uncontrolled)(?:,? (?:and|or)? ?\w+)? (?:discretion|judge?ment|opinion|determination|option)`,
          unless: mutual,
          burdens: 'not-who',
        },
        {
          match: raw`\b(?:sole|absolute|unfettered|uncontrolled)(?:,? (?:and|or)? ?\w+)? (?:discretion|judge?ment|opinion|determination|option)`,
          unless: raw`${mutual}|\bexpert\b`,
          burdens: 'other',
        },
        {
          match: raw`\b(?:decided|determined|judged) (?:solely |only )?by (?:the )?{who}(?: alone|'s sole)`,
          burdens: 'not-who',
          confidence: 'certain',
        },
        {
          match: raw`{who}(?:'s)?\b.{0,40}\b(?:decisions?|determination|interpretation|finding)\b.{0,20}\b(?:final|conclusive|binding|prevails?)`,
          unless: raw`${mutual}|\bexpert\b|\barbitrat|\bcourt\b|\baudit`,
          burdens: 'not-who',
        },
      ],
      ko: [
        {
          match: raw`{who}(?:의|이|가)\s?(?:단독(?:으로)?\s?|일방적인?\s?|전적인\s?|임의로\s?)?(?:해석|판단|결정|재량|의견|단독).{0,16}(?:따른다|따라야|따르기로|따릅|의한다|우선|정한다|결정)`,
          unless: raw`협의|합의|${mutualKo}|법원|중재|감정`,
          burdens: 'not-who',
        },
        {
          match: raw`(?:단독으로|임의로|독자적으로|전적으로|일방적으로)\s?(?:결정|판단|정한다|정할|정하며)|전적인\s?재량`,
          unless: raw`협의|합의|${mutualKo}|할\s?수\s?없`,
          burdens: 'other',
        },
      ],
    },
  },
];
