import type { ClauseKind } from './clause-kind.ts';

const raw = String.raw;
const mutual = raw`\b(?:each|either|neither|both|no) part(?:y|ies)\b|\bmutual`;
const mutualKo = raw`당사자|쌍방|상호|각자|서로`;

/** Clauses about penalties, liability, indemnities and given-up rights. */
export const liabilityClauses: readonly ClauseKind[] = [
  {
    kind: 'penalty-uncapped',
    title: { en: 'Penalty without a cap', ko: '한도 없는 위약금·지체상금' },
    reason: {
      en: 'The penalty grows with each day or breach, and no upper limit stands beside it.',
      ko: '위반이나 지체가 계속되면 금액이 끝없이 늘어나는데 상한이 적혀 있지 않다.',
    },
    rules: {
      en: [
        {
          match: raw`(?:\bpay|\bpayable|\bdeduct|\bcharge|\bliable for|\bowes?)\b.{0,120}(?:\b(?:for|per) (?:each|every)|\bper|\ba|\beach|\bevery) (?:(?:full|calendar|business|working|started|additional|commenced) )*(?:day|week|month|hour|breach|violation|infringement|instance)\b`,
          and: raw`\b(?:delay|late(?!r)|lateness|overdue|default|breach|violat\w+|infring\w+|fail\w*|missed|penalt\w+|liquidated)`,
          unless: raw`\bno penalty|without penalty|\binterest\b|\brent of|not (?:be )?(?:obliged|required|liable) to pay`,
          unlessNear: raw`\bnot (?:to )?exceed|\bexceed(?:ing)? \d|up to|at most|(?:not|no|never) more than|maximum|\bcap(?:ped)?\b|limited to|ceiling|\bstops? at|upper limit|in total`,
          burdens: 'subject',
        },
        {
          match: raw`(?:for|per) (?:each|every) (?:\w+ ){0,2}(?:day|week|month|breach|violation).{0,80}(?:\bpay|\bpayable|\bdeduct|\bcharge|\bliquidated damages|\bpenalt)`,
          and: raw`\b(?:delay|late(?!r)|lateness|overdue|default|breach|violat\w+|fail\w*|missed|penalt\w+|liquidated)`,
          unless: raw`\bno penalty|without penalty|\binterest\b|not (?:be )?(?:obliged|required|liable) to pay`,
          unlessNear: raw`\bnot (?:to )?exceed|\bexceed(?:ing)? \d|up to|at most|(?:not|no|never) more than|maximum|\bcap(?:ped)?\b|limited to|ceiling|\bstops? at|upper limit|in total`,
          burdens: 'subject',
        },
        {
          match: raw`\b(?:payable|due|paid) by (?:the )?{who}.{0,40}\b(?:per|every|each|for each|for every) (?:\w+ ){0,2}(?:day|week|month|breach|violation)`,
          unlessNear: raw`\bnot (?:to )?exceed|up to|at most|(?:not|no|never) more than|maximum|\bcap(?:ped)?\b|limited to|in total`,
          unless: raw`\binterest\b|\brent\b|\bfee\b`,
          burdens: 'who',
        },
      ],
      ko: [
        {
          match: raw`(?:지체\s?(?:상금|보상금|배상금)|위약벌|(?:위약금|배상금|벌금|벌칙금|과태금|손해배상금?)(?=.{0,60}(?:마다|매\s?일|매\s?회|1일|1회|1건|건당|회당|하루|배))).{0,80}(?:지급|납부|낸다|내야|낼|물어|문다|부담|공제|배상한|배상하|부과|청구)`,
          and: raw`\d[\d,.]*\s?(?:원|천|만|억|%|퍼센트|프로|분의|배)|마다|배액|배를|매\s?[일회]`,
          unless: raw`(?:지급|청구|부과|부담|공제|배상)하지\s?(?:아니|않)|물지\s?(?:아니|않)|면제|(?:낸|지급한|받은)\s?때에는`,
          unlessNear: raw`한도|초과하지|초과할\s?수\s?없|넘지|넘을\s?수\s?없|넘지\s?못|상한|최대|범위\s?(?:안|내)?에서|이하로|초과하는\s?(?:금액|부분)`,
          burdens: 'subject',
        },
        {
          match: raw`(?:1일|하루|매일|1회|1건|건|회|위반할\s?때)\s?(?:마다|당).{0,60}(?:위약벌|위약금|지체상금|배상금|벌금)`,
          unless: raw`(?:지급|청구|부과|부담|공제|배상)하지\s?(?:아니|않)|면제`,
          unlessNear: raw`한도|초과하지|초과할\s?수\s?없|넘지|넘을\s?수\s?없|상한|최대|범위\s?(?:안|내)?에서|이하로`,
          burdens: 'subject',
        },
      ],
    },
  },
  {
    kind: 'liability-uncapped',
    title: { en: 'Liability without a limit', ko: '한도 없는 손해배상 책임' },
    reason: {
      en: 'One side answers for every loss, also indirect ones, and no amount limits it.',
      ko: '간접손해까지 포함하거나 금액의 한도 없이 배상하도록 되어 있다.',
    },
    rules: {
      en: [
        {
          match: raw`\b(?:liab\w+|responsib\w+|compensat\w+|indemnif\w+)\b.{0,120}(?:\bunlimited|(?<!including,? (?:but )?)\bwithout (?:any )?(?:limit\b|limitation (?:in|of|as to) amount)|\bno (?:limit|cap)\b|\bnot (?:be )?(?:limited|capped)\b(?! to))`,
          unless: raw`${mutual}|\bonly (?:in|for|if|where|to the extent)\b|\botherwise\b.{0,60}\b(?:capped|limited)`,
          burdens: 'subject',
          confidence: 'certain',
        },
        {
          match: raw`\b(?:liable|responsible|answers?|compensate|reimburse|indemnify)\b.{0,60}\b(?:any|all|every)\b.{0,60}\b(?:indirect|consequential|special|lost profits?|loss of profits?)`,
          unless: raw`\bnot\b.{0,20}\b(?:be )?(?:liable|responsible)|\bno event\b|\bno circumstances\b|${mutual}`,
          burdens: 'subject',
        },
      ],
      ko: [
        {
          match: raw`(?:배상|책임).{0,40}(?:한도|제한|상한).{0,12}(?:없|두지\s?(?:아니|않)|적용하지|적용되지)|(?:무제한|무한)(?:의|으로|적)?.{0,20}(?:책임|배상)`,
          unless: raw`${mutualKo}|(?:경우|때)에(?:만|\s?한하여|\s?한해)`,
          burdens: 'subject',
          confidence: 'certain',
        },
        {
          match: raw`(?:간접|특별|결과적|부수적)\s?손해.{0,60}(?:배상|책임)|(?:일실\s?이익|영업\s?손실|기대\s?이익).{0,60}(?:배상|책임)`,
          unless: raw`(?:배상|부담)하지\s?(?:아니|않)|책임을?\s?지지|책임(?:이|은)?\s?없|제외|면책|${mutualKo}`,
          burdens: 'subject',
        },
      ],
    },
  },
  {
    kind: 'liability-excluded',
    title: { en: 'One side excludes its liability', ko: '한쪽의 책임 면제' },
    reason: {
      en: 'One side answers for nothing, so the other one carries the loss itself.',
      ko: '한쪽이 책임을 지지 않으므로 손해를 상대방이 스스로 떠안는다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:in no event|under no circumstances|in no case|never)\b.{0,30}\b(?:shall|will|is|are|be) (?:the )?{who}.{0,30}\b(?:liable|responsible|answerable)`,
          and: raw`\b(?:any|all|whatever|whatsoever|every|indirect|consequential)\b`,
          unless: raw`${mutual}|to the extent|force majeure`,
          burdens: 'not-who',
        },
        {
          match: raw`{who}.{0,30}\b(?:shall|will|is|are)(?: \w+)? (?:not|in no event|under no circumstances|in no way)(?: be)? (?:liable|responsible|answerable).{0,60}\b(?:any|all|whatever|whatsoever|every|theft|loss)\b`,
          unless: raw`${mutual}|to the extent|force majeure|beyond (?:its|the) (?:reasonable )?control`,
          burdens: 'not-who',
        },
        {
          match: raw`{who}.{0,20}\b(?:disclaims?|excludes?)\b.{0,20}\b(?:any|all|every)\b.{0,60}\b(?:liab|warrant|guarant|responsib|claim|damage|loss|recourse|remed)`,
          unless: mutual,
          burdens: 'not-who',
        },
        {
          match: raw`{who}.{0,20}\b(?:has|have|accepts?|assumes?|bears?) no (?:liability|responsibility)\b(?! to the extent)`,
          unless: raw`${mutual}|to the extent|force majeure`,
          burdens: 'not-who',
        },
      ],
      ko: [
        {
          match: raw`(?:책임을?|책임도)\s?(?:지지|부담하지)\s?(?:아니|않)|책임(?:이|은|도)?\s?없|면책(?:된다|됩니다|한다|되며)|손해를?\s?배상하지\s?(?:아니|않)`,
          and: raw`어떠한|어떤|여하한|일체|일절|모든|불문|아무런|원인을|이유를|사유를|묻지`,
          unless: raw`${mutualKo}|불가항력|천재지변|이\s?경우\s?을의|의무를\s?이행하지`,
          burdens: 'other',
        },
      ],
    },
  },
  {
    kind: 'broad-indemnity',
    title: { en: 'Broad indemnity', ko: '포괄적 면책·보상 의무' },
    reason: {
      en: 'One side pays for claims against the other, whether or not it caused them.',
      ko: '스스로 잘못하지 않은 청구까지 상대방 대신 부담할 수 있다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:indemnif(?:y|ies)|hold\b.{0,60}\b(?:harmless|free (?:of|from|and))|defend\b.{0,60}\bagainst|save\b.{0,40}\bharmless)`,
          and: raw`\b(?:any and all|all claims|all (?:losses|liabilit|actions|suits|damages)|(?:any|every|all) (?:\w+ ){0,2}(?:claims?|loss|losses|liability|damages?|suits?|demands?)|whatsoever|of whatever|of any (?:kind|nature))`,
          unless: raw`to the extent|${mutual}|\bnot (?:be )?(?:obliged|required) to indemnify|caused by (?:the |its |their )?(?:\w+ )?(?:fault|negligence|breach)\b|(?:arising|resulting) (?:out of|from) (?:the |its |their |any )?(?:\w+ ){0,2}(?:breach|negligence|fault)`,
          burdens: 'subject',
        },
        {
          match: raw`\b(?:indemnif(?:y|ies)|hold\b.{0,60}\b(?:harmless|free))`,
          and: raw`\b(?:whether or not|regardless of|irrespective of|even (?:if|where|when|though))\b`,
          unless: raw`to the extent|${mutual}`,
          burdens: 'subject',
          confidence: 'certain',
        },
      ],
      ko: [
        {
          match: raw`면책(?:시키|하여|하고|한다|시켜|하기)|손해가?\s?(?:없도록|없게)|(?:책임과|비용과)\s?(?:비용|책임)으로|(?:자기|자신|을)의\s?(?:책임|비용|부담)(?:과\s?비용)?(?:으로|하에)`,
          and: raw`일체|모든|모두|어떠한|여하한|불문|유무를|관계\s?없이|전적으로|전부`,
          unless: raw`${mutualKo}|(?:귀책\s?사유|고의\s?(?:또는|나)\s?(?:중?과실)|잘못)(?:로|으로|에\s?의)`,
          burdens: 'subject',
        },
      ],
    },
  },
  {
    kind: 'waiver',
    title: { en: 'Rights given up in advance', ko: '권리의 사전 포기' },
    reason: {
      en: 'One side gives up rights or claims before it knows whether it needs them.',
      ko: '필요한지 알기도 전에 권리나 청구를 미리 포기한다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:waives?|gives? up|relinquish(?:es)?|renounces?|forgoes?|releases?)\b.{0,60}\b(?:any|all|every|its|the|his|her)\b.{0,40}\b(?:rights?|claims?|defen[cs]es?|remed\w+|actions?|set-?offs?|abatement|lien|notice)`,
          unless: raw`${mutual}|\b(?:no|not|never)\b.{0,30}\bwaive|\bmay waive|\bwaiver (?:is|of|under|by)|\bpart(?:y|ies) waiv`,
          burdens: 'subject',
          confidence: 'certain',
        },
        {
          match: raw`\b(?:shall|will|agrees?) not (?:to )?(?:contest|challenge|dispute|sue|bring (?:any|a) (?:claim|action)|object|set off|withhold)`,
          unless: raw`${mutual}|unreasonabl\w+|in good faith|without`,
          burdens: 'subject',
        },
      ],
      ko: [
        {
          match: raw`포기(?:한다|하며|하기로|합니다|하고|하여야|함)`,
          unless: raw`포기한\s?것으로\s?보지|포기하지|${mutualKo}`,
          burdens: 'subject',
          confidence: 'certain',
        },
        {
          match: raw`(?:이의|민원|소송|소|항변|권리)(?:을|를)?\s?(?:일체\s?)?(?:제기|주장|행사)?(?:하지\s?(?:아니|않|못)|할\s?수\s?없)`,
          unless: raw`이의를\s?제기하지\s?(?:아니|않)(?:하면|으면|은|는|한)|때에는?\s?이의|${mutualKo}|것으로\s?(?:보지|본다|봅)`,
          burdens: 'subject',
        },
      ],
    },
  },
  {
    kind: 'short-claim-period',
    title: { en: 'Short time for claims', ko: '짧은 청구·통지 기간' },
    reason: {
      en: 'A claim is lost if it is not made within a few days.',
      ko: '며칠 안에 알리거나 청구하지 않으면 권리를 잃는다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:defects?|claims?|objects?|objections?|disputes?|complain\w*|non-?conform\w+|notif\w+|shortages?|damages?)\b`,
          and: raw`\b(?:failing which|otherwise|barred|excluded|lapses?|waive[ds]?|forfeit\w*|is lost|are lost|loses?|extinguish\w*|no (?:further )?claims?|not (?:be )?(?:entitled|considered|accepted)|precluded)\b`,
          unless: raw`${mutual}|\binvoice each`,
          days: { atMost: 14 },
          burdens: 'subject',
        },
        {
          match: raw`\bclaims? (?:of|by) (?:the )?{who}`,
          and: raw`\b(?:barred|excluded|lapses?|waived|forfeited|lost|extinguish\w*|invalid|void)\b`,
          days: { atMost: 14 },
          burdens: 'who',
          confidence: 'certain',
        },
      ],
      ko: [
        {
          match: raw`(?:청구|주장|권리|책임|이의|보상|배상).{0,24}(?:소멸|할\s?수\s?없|못\s?한|하지\s?못|잃|포기한|지지\s?(?:아니|않)|인정하지|상실)`,
          and: raw`(?:이내|안에|내에|까지)`,
          unless: mutualKo,
          days: { atMost: 14 },
          burdens: 'subject',
        },
      ],
    },
  },
];
