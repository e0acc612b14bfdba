/** English words that negate, exclude, limit, condition, defer or report a statement. */
export const englishMarkers =
  /\b(?:not|no|none|nor|neither|never|nothing|nobody|cannot|without|lack\w*|absen\w*|except\w*|exclud\w*|exclusions?|exempt\w*|unless|only|solely|until|if|whether|provided (?:that|however)|subject to|save|other than|but|however|instead|rather|although|though|despite|notwithstanding|reject\w*|refus\w*|declin\w*|prohibit\w*|forbid\w*|forbade|ban(?:s|ned)?|bar(?:s|red)|prevent\w*|preclud\w*|restrain\w*|restrict\w*|limit\w*|unlimited|unrestricted|waiv\w*|disclaim\w*|releas\w*|reliev\w*|excus\w*|void\w*|null\w*|invalid\w*|unenforceable|lapse\w*|expir\w*|revok\w*|rescind\w*|withdr[ae]w\w*|delet\w*|struck|strik\w*|omit\w*|replac\w*|supersed\w*|former\w*|previous\w*|earlier|prior(?! (?:written )?notice)|would|could|should|might|propos\w*|consider\w*|discuss\w*|contemplat\w*|intend\w*|intention|request\w*|negotiat\w*|agree later|later|option\w*|reserv\w*|fail\w*|little|hardly|rarely|seldom|barely|ceas\w*|suspend\w*|avoid\w*|abolish\w*|remov\w*|cancel\w*|dispens\w*|unlike|nil|zero|discretion\w*|lieu|den(?:y|ies|ied|ial)|renounc\w*|relinquish\w*|abandon\w*|forgo\w*|forego\w*|surrender\w*|oppos\w*|object(?:s|ed|ions?)?|free (?:of|from)|exceed\w*|as long as|in case|in the event|in no event|when|where|while|once|draft\w*|depend\w*|condition\w*|contingent|consents?|approv\w*|was|were|had|unclear|unknown|unable|impossible|impermissible|obsolete|hypothe\w*|example|alleg\w*|purport\w*|too|irrespective|regardless|stop\w*|end(?:s|ed)?|doubt\w*|disput(?:e|ed) (?:that|whether)|negat\w*|minus|scarcely|out of scope|inapplicable|unavailable|non)\b|n['’]t\b|\bnon-?(?=[a-z])/giu;

/** Korean words of the same kinds. A final `한다` alone affirms. */
export const koreanMarkers =
  /아니|않|못|없|금지|배제|면제|제외|거절|거부|포기|불가|비독점|비전속|한하여|한해서?|한정|제한|경우|에만|때만|만(?=\s|이|을|을)|다만|단,|하면|되면|으면|이면|때에|때는|외에|이외|전까지|까지는|무효|삭제|폐지|취소|철회|중단|종료|대신|아닌|논의|협의|협상|제안|검토|예정|합의하|합의에|요청|별도|따로|추후|나중|종전|과거|(?:했|였|었|됐|았)(?:다|던|음)|승낙|동의|승인|조건|소멸|박탈|반대|말아야|안 되|안 된|안된|안된다|재량|선택|유보|보류|원칙|초과|이내|이하|미만|대체|부인|부정|예외|의문|불분명|가령|예컨대|(?:더라|라)도|불구|사양|려면|해방|벗어|생략/gu;

/** A denial that stands alone: `may not`, `no warranty`, `is excluded`. */
export const englishDenial = /^(?:not|no|neither|never|cannot|n['’]t|prohibited|forbidden|excluded)$/iu;
/** A denial in the last words of a Korean sentence. */
export const koreanDenial =
  /(?:아니\s?(?:한다|합니다|된다|됩니다|함|하기로)|안\s?(?:된다|됩니다)|않는다|않습니다|않기로|않음|못\s?한다|못합니다|없다|없습니다|없음|(?:금지|배제)(?:한다|된다|됩니다|합니다)?|불가(?:하다)?)[^가-힣]*$/u;

/** The words of a question that tell what kind of answer it wants, not its subject. */
export const frame =
  /\b(?:have|has|having|there|gives?|grants?|allow\w*|permit\w*|requir\w*|requires?|contains?|includes?|provides?|clauses?|provisions?|sections?|articles?|obligations?|dut(?:y|ies)|rights?|payable|possible|possib\w*|able|entitled|must|need|needs|carry|owe[sd]?)\b|조항|조문|의무|가능|허용|들어야|있나요|있어|있는|필요|(?<=\s)(?:돼|되나|되는|됩니까)[가-힣]*/giu;

/** A question for a duty: a right does not answer it. */
export const asksForDuty =
  /\b(?:must|requir\w*|oblig\w*|dut(?:y|ies)|needs?|have to|has to|mandatory|shall)\b|의무|야\s?(?:해|하|돼|되|합)|필요|필수/iu;
/** A question for a permission: the lack of a duty does not answer it. */
export const asksForPermission =
  /\b(?:can|may|allow\w*|permit\w*|possib\w*|able|entitled|free to|rights?)\b|수\s?있|가능|허용|허락|권리|되나|돼/iu;
export const duty =
  /\b(?:shall|must|will|requir\w*|agrees? to|undertakes? to|oblig\w*|dut(?:y|ies)|has to|have to)\b|하여야|해야|의무|한다|진다|부담|합니다/iu;
export const permission = /\b(?:may|can|entitled|rights?|permit\w*|allow\w*|free to|\w+able)\b|수\s?있|가능|허용|자유|권리|된다|됩니다/iu;
export const lackOfDuty =
  /\b(?:no (?:obligation|duty|requirement)|not (?:be )?(?:required|obliged|obligated|bound|mandatory|compulsory|necessary)|need not)\b|의무[가는도]?\s?(?:없|면제)|필요[가는도]?\s?없/iu;

/** Words that leave a denial as wide as it is. Any other word may narrow it. */
export const plainEnglish =
  /^(?:the|an?|this|any|all|its|their|it|there|is|are|be|shall|will|may|must|can|does|do|has|have|agreement|contract|lease|licen[cs]e|nda|hire|part(?:y|ies)|either|each|of|to|under|hereunder|hereby|or|and|for|in|rights?|obligations?|dut(?:y|ies)|required|permitted|allowed|payable|granted|given|due|available|possible|apply|applies|included|exists?|gives?|pays?|needs?|takes?|out|maintain|obtain|hold|provide|requires?|premises|whatsoever|ever|third|possibility)$/iu;
/** Words beside a plain affirmation, which say when, how much, in what manner and of what. */
export const neutralEnglish =
  /^(?:\W*\d[\d.,]*\W*|every|year|years|months?|weeks?|days?|days['’]|year['’]s|month['’]s|months['’]|calendar|annual|annually|yearly|monthly|successive|consecutive|further|additional|periods?|terms?|one|two|three|four|five|six|ten|twelve|thirty|sixty|ninety|one-year|per|by|on|at|upon|with|from|as|between|written|prior|notice|fees?|amounts?|price|sum|rent|costs?|full|settled|resolved|decided|finally|exclusively|referred|submitted|disputes?|arising|connection|them|goods|services|books|records|accounts|liability|public|adequate|appropriate|professional|commercial|customary|delivery|late|overdue|charges?|carry|carries|bears?|keeps?|maintains|grants?|receives?|provides|obtains|takes|owes?|entitled|equal|percent|spring|summer|autumn|winter|end|current|start|both|lasts?|runs?|begins|until(?= \d)|laws?|subscription|membership|engagement|loan|governed|interpreted|construed|accordance)$/iu;
const koreanEnding =
  '(?:은|는|이|가|을|를|의|에|에는|에서|도|로|으로|와|과|에게|적으로|할|될|하지|되지|하지는|하여서는|해서는|되어서는|되는|하는|한다|된다|합니다|됩니다|하여야|해야|권은|권이|권을|조항은|조항을|조항이|의무는|의무가|의무를)?';
const koreanParties =
  '갑|을|병|당사자|양당사자|쌍방|일방|상대방|임차인|임대인|전차인|매도인|매수인|도급인|수급인|위탁자|수탁자|위임인|수임인|공급자|구매자|발주자|대주|차주|운송인|가맹본부|가맹점주|회사|근로자|사용자|제작자|대리점|판매자|소비자|이용자|고객|학원|수강생';
export const plainKorean = new RegExp(
  `^(?:(?:${koreanParties}|본|이|그|계약|계약서|계약상|어느|양|각|권리|의무|조항|목적물|지위|일체|전부|어떠한|어떤|모든|제3자|수|가입|인정|두지|적용|허용|발생|존재|지급|있지|받지|할|될|하지|되지)${koreanEnding}|(?:하|되|허용하|인정하|적용하|발생하|존재하|지급하|받)?(?:지|여서는|서는)?(?:아니|안|않|못|없|금지|배제|불가)[가-힣]*|된다|한다|됩니다|합니다)$`,
  'u',
);
export const neutralKorean = new RegExp(
  `^(?:\\d[\\d.,]*[가-힣%]*|매년|매월|해마다|매[가-힣]|전액|금액|대금|업무상|분쟁|서면|서면으로|통지하고|효력이|있으며|만료|만료일|책임|손해|물건|언제든지|자유롭게|각자|부담|반환|이자|연|월|하여야|해야|있다|있습니다|진다|둔다|받는다|지급한다|가입한다|부담한다|더한다|더하여|준다|보유한다|유지한다|가진다|가능하다|허용된다)${koreanEnding}$`,
  'u',
);
/** A word after an asked stem: `양도는`, `양도할`, but not `양도담보` or `보험금`. */
export const koreanInflection = new RegExp(`^${koreanEnding}(?:아니|않|못|없|금지|배제)?(?:한다|된다)?$`, 'u');
/** The contract itself, whose renewal a question for an automatic renewal is about. */
export const renewedThing =
  /^\W*(?:(?:this|the|each) (?:(?:[a-z]+ )?(?:agreement|contract|lease|licen[cs]e|subscription|term|period|hire|membership|loan|engagement)|(?:initial |current )term)|it|there|automatic)\b|^\W*(?:본|이|위)?\s?[가-힣]*(?:계약|기간)(?:서)?(?:은|는|이|가|의)|^\s*(?:자동|\d+년씩|만료)/iu;
