import type { ClauseKind } from './clause-kind.ts';

const raw = String.raw;
const mutual = raw`\b(?:each|either|neither|both|no) part(?:y|ies)\b|\bmutual|\bthe parties\b`;
const mutualKo = raw`당사자|쌍방|상호|각자|서로`;

/** Clauses about what a side may still do: work, know-how, secrets, suppliers. */
export const freedomClauses: readonly ClauseKind[] = [
  {
    kind: 'ip-transfer',
    title: { en: 'All rights pass to one side', ko: '지식재산권의 전부 양도' },
    reason: {
      en: 'One side loses all rights in its work, perhaps also in what it had before.',
      ko: '결과물의 권리를 모두 넘기며, 전부터 가지고 있던 것까지 포함될 수 있다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:all|any|entire|every|everything)\b.{0,100}\b(?:intellectual property|copyrights?|inventions?|invents|patents?|work product|deliverables|works?|writes|creates|right, title,? and interest)\b.{0,120}\b(?:vests?|belongs?|(?:is|are|be|become) (?:the )?(?:\w+ ){0,3}property of|owned|assigned|transferred|passes?)\b.{0,30}\b(?:in|to|by|of|with)?(?: the)? ?{who}`,
          unless: raw`${mutual}|\bretains?\b|\bkeeps?\b|\bremains?\b|\bexcept\b|\blicen[cs]or\b.{0,10}\bretain|\bshall not\b`,
          burdens: 'not-who',
        },
        {
          match: raw`\b(?:assigns?|transfers?|conveys?)\b.{0,60}\b(?:all|any|entire)\b.{0,40}\b(?:right|title|interest|intellectual property|copyrights?|inventions?|patents?)`,
          unless: raw`${mutual}|\bmay (?:not )?\b|\bshall not\b|\bnot (?:assign|transfer)|\bwithout\b.{0,30}\bconsent|\bnothing\b|\bno\b.{0,30}\b(?:assign|transfer)|rights under this`,
          burdens: 'subject',
        },
      ],
      ko: [
        {
          match: raw`(?:저작권|저작재산권|지식재산권|지적재산권|특허|발명|산출물|결과물).{0,100}{who}(?:에게|에|의)\s?(?:\S+\s?){0,2}(?:귀속|양도|이전|소유)`,
          and: raw`모든|일체|전부|전적으로|영구|2차적|대가\s?없이|무상|포함`,
          unless: raw`기존|계약\s?(?:체결\s?)?전부터|보유하던|남고|남는다|공동|유보|${mutualKo}`,
          burdens: 'not-who',
        },
      ],
    },
  },
  {
    kind: 'non-compete',
    title: { en: 'No competing business', ko: '경업 금지' },
    reason: {
      en: 'One side may not work for or as a competitor. Length and area decide whether it is valid.',
      ko: '경쟁 업체에 취업하거나 같은 영업을 할 수 없다. 기간과 지역이 넓으면 무효일 수 있다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:shall|may|will|agrees?|must|undertakes?|covenants?)\b(?:,[^,]{0,80},)?(?: \w+){0,3}? not\b.{0,260}(?:\bcompet\w+|\b(?:similar|same|like|identical)\b.{0,20}\b(?:business|trade|activit\w+|field))`,
          unless: raw`\bnot\b.{0,40}\b(?:disclose|divulge|reveal)|\bnon-?compet\w+ (?:period )?(?:does|shall) not apply|${mutual}|\buse\b.{0,30}\b(?:mark|name|information)`,
          burdens: 'subject',
          confidence: 'certain',
        },
      ],
      ko: [
        {
          match: raw`(?:경쟁|동종|유사한?|같은\s?종류|동일한?\s?(?:업종|종류)|경업).{0,60}(?:취업|영업|사업|업체|창업|종사|운영|겸|관여|업무|업종).{0,60}(?:하지\s?(?:아니|않|못)|할\s?수\s?없|아니\s?된다|안\s?(?:된다|됩니다)|금지|못한다)`,
          unless: raw`${mutualKo}|누설|정보를?\s?(?:제공|공개)`,
          burdens: 'subject',
          confidence: 'certain',
        },
      ],
    },
  },
  {
    kind: 'exclusivity',
    title: { en: 'Bound to one partner', ko: '거래 상대의 제한' },
    reason: {
      en: 'One side may deal only with the other.',
      ko: '한쪽이 상대방하고만 거래해야 한다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:shall|must|will|agrees? to|undertakes? to)\b(?! not).{0,60}\b(?:purchase|buy|order|source|obtain|procure|acquire|act|work|deal|sell|provide services|perform)\b.{0,100}\b(?:(?:exclusively|solely|only) (?:from|for|with|through|to)|from no other)`,
          unless: raw`\bnon-?exclusiv|\bnothing\b|\bcourts?\b|\bonly (?:for|to)\b.{0,20}\bpurpose|${mutual}`,
          burdens: 'subject',
          confidence: 'certain',
        },
        {
          match: raw`\b(?:shall|may|will|must) not\b.{0,80}\b(?:purchase|buy|sell|represent|market|distribute|promote|deal in|carry|obtain|source)\b.{0,80}\b(?:(?:from )?any other (?:person|source|supplier|company|products?|goods)|third part(?:y|ies)|competing (?:products?|goods|services))`,
          unless: raw`\bnon-?exclusiv|\bdisclos|${mutual}|\bwithout\b.{0,40}\bconsent`,
          burdens: 'subject',
        },
        {
          match: raw`\b(?:shall|may|will|must) not\b.{0,40}\b(?:enter into|engage in|appoint|endorse|license)\b.{0,100}\b(?:any other|any third|with any)\b`,
          unless: raw`\bnon-?exclusiv|\bdisclos|${mutual}`,
          burdens: 'subject',
        },
        {
          match: raw`\b(?:grants?|appoints?|designates?|engages?)\b.{0,100}\b(?<!non-)exclusive\b`,
          unless: raw`\bnon-?exclusive|\bnothing\b|${mutual}`,
          burdens: 'subject',
        },
      ],
      ko: [
        {
          match: raw`(?:만을|에서만|로부터만|에게서만|에게만|만)\s?(?:구매|구입|공급받|취급|판매|매입|조달|거래|납품|사들)`,
          unless: raw`${mutualKo}|할\s?수\s?있는\s?것은\s?아니|자유`,
          burdens: 'subject',
        },
        {
          match: raw`다른\s?(?:곳|회사|업체|제3자|사업자|거래처|출판사|기획사|사람)(?:에서|의|와|과|에|에게|로부터)?.{0,60}(?:구입|구매|거래|판매|팔|사들|취급|공급|계약|출연|출판|납품).{0,16}(?:할\s?수\s?없|수\s?없|아니|않|못|안\s?된)`,
          unless: raw`${mutualKo}|(?:동의|승낙|승인)\s?없이\s?(?:재|하)|독점적인?\s?지위를\s?주거나|막지|넘길|맡길|재하도급`,
          burdens: 'subject',
        },
      ],
    },
  },
  {
    kind: 'one-sided-confidentiality',
    title: { en: 'Only one side keeps secrets', ko: '한쪽만의 비밀유지' },
    reason: {
      en: 'Only one side must keep secrets, perhaps without an end.',
      ko: '한쪽만 비밀을 지켜야 하며, 기간이 없을 수 있다.',
    },
    fairIfMutual: true,
    rules: {
      en: [
        {
          match: raw`\b(?:shall|must|will|agrees? to|undertakes? to)\b(?! not).{0,60}\b(?:keep|maintain|hold|treat|preserve)\b.{0,60}\b(?:secret|secrecy|confiden\w+)|\b(?:shall|must|may|will|agrees?) not\b.{0,60}\b(?:disclose|divulge|reveal)\b.{0,60}\b(?:information|secrets?|confiden\w+)`,
          unless: raw`${mutual}|\bthe other(?:'s| party)|\brecipient|\breceiving|\bnot required to|\bcopy of`,
          burdens: 'subject',
        },
      ],
      ko: [
        {
          match: raw`(?:비밀|기밀|정보).{0,60}(?:누설|유출|공개|제공(?!자)|알리|알려)(?:하거나|하여서는|하지|해서는|되지)?.{0,20}(?:아니|않|안\s?된|못)|(?:비밀|기밀|정보).{0,40}(?:비밀로\s?)?(?:유지|지켜|지킨|보호)(?:하여야|해야|한다|야\s?한다|다)`,
          unless: raw`${mutualKo}|상대방|양\s?당|개인정보|제외|아니하(?:는|한)\s?것`,
          burdens: 'subject',
        },
      ],
    },
  },
];
