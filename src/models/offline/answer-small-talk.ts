import { answersInKorean } from '../../core/text/answers-in-korean.ts';
import { modelNeeded } from './model-needed.ts';

/** Patterns of a topic with their answers. With several answers, the words of the input decide. */
interface Topic {
  readonly said: RegExp;
  readonly ko: readonly string[];
  readonly en: readonly string[];
}

const you = '(?:너|넌|네|니|당신|그대|얘)(?:는|은|가|의|도)?';

const topics: readonly Topic[] = [
  {
    said: /죽고\s?싶|자살|자해|살기\s?싫|사라지고\s?싶|\b(?:kill|hurt) myself\b|suicid|\bwant to die\b|\bend my life\b/iu,
    ko: [
      '많이 힘드시군요. 혼자 견디지 말고 지금 누군가와 이야기해 주세요: 자살예방 상담전화 109(24시간), 급하면 119입니다. 저는 규칙으로 답하는 프로그램이어서 사람을 대신할 수 없습니다.',
    ],
    en: [
      'I am sorry that it is so hard. Please talk to somebody now: a crisis line (109 in Korea, 988 in the US) or the emergency number where you are. I am a program that answers by rules, and no substitute for a person.',
    ],
  },
  {
    said: new RegExp(
      `${you}\\s?(?:진짜\\s|혹시\\s)?(?:사람|인간|로봇|기계|봇|챗봇|ai|에이아이|인공지능|gpt|챗gpt|chatgpt|클로드|살아)|are you (?:a |an |really |actually |just |some )*(?:human|robot|bot|chatbot|ai|real|person|machine|computer|chatgpt|alive|sentient)`,
      'iu',
    ),
    ko: ['저는 사람이 아니라 규칙으로 답하는 프로그램입니다. 사람처럼 생각하지는 못합니다.'],
    en: ['I am no person but a program that answers by rules.'],
  },
  {
    said: /누가.{0,8}(?:만들|개발|제작)|(?:너|널|당신)(?:를|을)?\s?만든\s?(?:사람|회사|곳|데)|who (?:made|created|built|developed|programmed|designed|owns) you|your (?:creator|maker|developer)/iu,
    ko: ['저는 agent-machines라는 패키지에 들어 있는, 규칙으로 답하는 프로그램입니다.'],
    en: ['I am a program that answers by rules, out of the package agent-machines.'],
  },
  {
    said: new RegExp(
      `${you}\\s?(?:몇\\s?살|나이|생일|언제\\s?(?:태어|만들))|^how old are you|when (?:were you|is your birthday)|your (?:age|birthday)`,
      'iu',
    ),
    ko: ['저는 규칙으로 답하는 프로그램이라 나이가 없습니다.'],
    en: ['I am a program that answers by rules, so I have no age.'],
  },
  {
    said: new RegExp(
      `${you}\\s?(?:어디\\s?(?:에|서|에서)?\\s?(?:살|있|왔)|집이)|where (?:are you(?: from)?|do you (?:live|come from))\\b`,
      'iu',
    ),
    ko: ['저는 프로그램이라 사는 곳이 없고, 지금 이 컴퓨터에서 규칙으로 답합니다.'],
    en: ['I am a program and live nowhere: I answer by rules, on this computer.'],
  },
  {
    said: /^(?:너|넌|당신|네|니|그쪽)(?:는|은|의)?\s?(?:누구|뭐야|뭐니|무엇|정체|이름)|^이름이?\s?(?:뭐|무엇)|^(?:너의|네|니)\s?이름|자기\s?소개(?!서)|\bwho are you\b|\bwhat are you\b|\bwhat(?:'?s|’s| is) your name\b|\bdo you have a name\b|\bintroduce yourself\b/iu,
    ko: ['저는 규칙으로 답하는 도우미입니다. 문서에서 찾기, 계산, 날짜와 시각, 그리고 이 대화에서 하신 말씀을 기억하는 일을 합니다.'],
    en: [
      'I am an assistant that answers by rules: I look things up in documents, calculate, tell date and time, and remember what you say here.',
    ],
  },
  {
    said: /^(?:(?:안녕\S*|그럼|그래서|너는|너가|네가|넌|너|니가|당신은|여기서|이걸로|나한테|저한테)[\s,]*)*(?:(?:무엇을|뭘|뭐|무슨 일을?)\s?(?:할\s?수|도와|하는|해\s?줄)|기능이?\s?(?:뭐|있)|도와줄\s?수|할 줄 아)|^도움말$|^사용법|^help\b[.?!\s]*$|\bwhat (?:can|do) you do\b|\bhow can you help\b|\bcan you help(?: me)?[\s?!.]*$|\bwhat are you able to\b/iu,
    ko: [
      '문서에서 찾기, 계산(“30만원의 15%”), 날짜와 시각(“뉴욕은 몇 시야?”, “3일 뒤는 무슨 요일?”), 단위 환산, 파일 읽기, 그리고 이 대화에서 하신 말씀을 기억하는 일을 합니다. 규칙으로 답하며, 그 밖의 질문에는 언어 모델이 있어야 합니다.',
    ],
    en: [
      'I look things up in documents, calculate (“15% of 80”), tell dates and times (“what time is it in London?”), convert units, read files, and remember what you say here. I answer by rules; other questions take a model.',
    ],
  },
  {
    said: /(?:재미\S{0,2}|재밌는|웃긴|웃기는|우스운|무서운)\s?(?:얘기|이야기|말|거)|농담|웃겨\s?(?:줘|봐|주)|유머|아재\s?개그|넌센스|\bjokes?\b|\bmake me laugh\b|\bsomething funny\b|\bfunny story\b/iu,
    ko: [
      '왕이 넘어지면? 킹콩입니다.',
      '세상에서 가장 뜨거운 과일은? 천도복숭아입니다.',
      '프로그래머가 핼러윈과 크리스마스를 헷갈리는 까닭은? Oct 31과 Dec 25가 같아서입니다. 팔진수 31은 십진수 25니까요.',
    ],
    en: [
      'Why do programmers mix up Halloween and Christmas? Because Oct 31 = Dec 25.',
      'There are 10 kinds of people: those who understand binary, and those who do not.',
      'A SQL query walks into a bar, goes up to two tables and asks: may I join you?',
    ],
  },
  {
    said: /^(?:사랑해|좋아해|나랑\s?(?:사귀|결혼)|결혼하자)|(?:너|널|당신).{0,4}(?:사랑|좋아)해|\b(?:i )?love (?:you|u)\b|\bi like you\b|\bmarry me\b/iu,
    ko: ['고맙습니다! 저는 규칙으로 움직이는 프로그램이지만, 그 말씀은 기쁘게 받겠습니다.'],
    en: ['Thank you! I am only a program with rules, but that is kind of you.'],
  },
  {
    said: /바보|멍청|등신|시발(?!점)|씨발|씨바|ㅅㅂ|ㅂㅅ|병신|개새|(?:이|그|야)\s?새끼|꺼져|닥쳐|쓸모\s?없|못생|한심|짜증나게|재수\s?없|별로(?:네|다|야)$|\b(?:stupid|idiot|dumb|useless|moron|shut up|hate you|you suck|fuck|worthless|bastard|bitch)\b|\byou(?:'|’)?(?:re| are) (?:\w+ )?(?:trash|garbage|bad|terrible|a loser|annoying|slow|boring|wrong|ugly|no help)\b/iu,
    ko: [
      '마음에 들지 않으셨다면 죄송합니다. 저는 규칙으로만 답해서 못 하는 일이 많습니다. 무엇이 필요하신지 말씀해 주시면 할 수 있는 만큼 돕겠습니다.',
    ],
    en: [
      'I am sorry that I was no help. I answer by rules only, and there is much that I cannot do. Tell me what you need, and I will do what I can.',
    ],
  },
  {
    said: /^(?:나|저|난|전|요즘|오늘|너무|진짜|아|아우|에휴|하|휴)?.{0,20}(?:우울|슬퍼|슬프|슬픈|힘들|힘드|지쳤|지친|지쳐|피곤|외로|외롭|속상|짜증|화나|화가\s?나|불안|무서워|무섭다|스트레스|괴로|눈물|망했|긴장)[가-힣]{0,6}[.!~ㅠㅜ\s]*$|\bi(?:'|’)?(?:m| am)(?: feeling| so| very| really| just| a bit| kind of| too)* (?:sad|tired|depressed|lonely|stressed|exhausted|upset|angry|anxious|worried|scared|down|unhappy|heartbroken|nervous|overwhelmed|frustrated)|\bi feel (?:so |very |really |a bit )?(?:sad|tired|down|bad|lonely|awful|terrible|sick|empty)|\b(?:bad|hard|rough|terrible) day\b/iu,
    ko: ['많이 힘드셨겠어요. 잠깐 쉬어 가셔도 괜찮습니다. 이야기하고 싶으시면 편하게 말씀해 주세요.'],
    en: ['That sounds hard. Take a moment for yourself if you can; if you like, tell me more about it.'],
  },
  {
    said: /(?:기뻐|기쁘|행복|신나|신난다|기분(?:이)?\s?(?:좋|최고)|합격했|붙었어|승진했|뿌듯)[가-힣]{0,6}[.!~ㅎㅋ\s]*$|\bi(?:'|’)?(?:m| am)(?: feeling| so| very| really)* (?:happy|excited|glad|great|proud)|\b(?:great|wonderful|best) day\b|\bi passed\b|\bi got the job\b/iu,
    ko: ['좋은 일이 있으셨군요, 저도 반갑습니다!'],
    en: ['That is good to hear!'],
  },
  {
    said: /심심|지루|할\s?게\s?없|\bbored\b|\bboring\b|\bnothing to do\b/iu,
    ko: ['심심하시군요. “농담 하나 해줘”라고 하시거나, 크리스마스까지 며칠 남았는지 물어보셔도 좋습니다.'],
    en: ['Bored? Ask me for a joke, or how many days it is until Christmas.'],
  },
  {
    said: /배고(?:파|프|픈|팠)|출출|\bhungry\b|\bstarving\b/iu,
    ko: ['맛있는 것 드시고 오세요. 식당을 찾으려면 웹 검색(TAVILY_API_KEY)이 있어야 합니다.'],
    en: ['Have something good to eat. Looking up restaurants takes web_search (TAVILY_API_KEY).'],
  },
  {
    said: /졸려|졸리|잠이\s?(?:안|와)|잠\s?안\s?와|\bsleepy\b|\bcan(?:'|’)?t sleep\b/iu,
    ko: ['조금 쉬시는 것이 좋겠습니다. 필요하신 것이 있으면 언제든 말씀해 주세요.'],
    en: ['Some rest would do you good. I am here when you need something.'],
  },
  {
    said: /(?:생일|결혼|졸업|합격)\s?축하|새해\s?복|메리\s?크리스마스|\bhappy (?:birthday|new year|holidays)\b|\bmerry christmas\b/iu,
    ko: ['고맙습니다. 좋은 하루 보내시기 바랍니다!'],
    en: ['Thank you, and the same to you!'],
  },
  {
    said: /^(?:와|오|우와|역시|정말|진짜|너|넌)?[\s,!]*(?:잘했|최고|똑똑|멋지|멋있|대단|훌륭|완벽|천재|고생했)[가-힣]{0,5}[.!~ㅎㅋ\s]*$|^(?:good (?:job|bot|work)|well done|nice(?: one| work)?|great(?: job| work)?|awesome|amazing|cool|perfect|excellent|you(?:'|’)?re (?:great|smart|awesome|amazing|the best|cool|funny|clever|nice))[.!\s]*$/iu,
    ko: ['칭찬해 주셔서 고맙습니다!'],
    en: ['Thank you, that is kind!'],
  },
  {
    said: /^(?:아|앗|어)?[\s,]*(?:미안|죄송)[가-힣]{0,8}[.!~\s]*$|^(?:i(?:'|’)?m |i am )?(?:so |very )?sorry(?: about that)?[.!\s]*$|^my bad[.!\s]*$/iu,
    ko: ['괜찮습니다. 이어서 말씀해 주세요.'],
    en: ['No problem. Go on.'],
  },
  {
    said: /(?:잘\s?(?:지내|지냈|있었|있니|있어\?)|(?:오늘\s?)?기분(?:이|은)?\s?(?:어때|어떠|어떤)|별일\s?없|요즘\s?어때|오늘\s?어때|하루\s?어땠|뭐\s?(?:해|하고\s?있|하니|하냐)\??$|밥\s?(?:은\s?)?먹었|식사\s?(?:는\s?)?하셨|how(?:'|’)?(?:s| is| are) (?:it going|you|u|things|everything|life|your day)|how have you been|how do you (?:do|feel)|what(?:'|’)?s up|^sup\b|wassup|what are you doing)/iu,
    ko: ['저는 규칙으로 답하는 프로그램이라 늘 그대로입니다. 물어봐 주셔서 고맙습니다! 무엇을 도와드릴까요?'],
    en: ['I am a program with rules, so always the same; thank you for asking! What can I do for you?'],
  },
  {
    said: /^(?:거기\s?)?(?:있어|있니|있나요|듣고\s?있어|들려|여보세요|저기요?|야|테스트|하이루)[.?!~\s]*$|^(?:are you (?:there|here|listening)|anybody there|anyone there|knock knock|test(?:ing)?|yo|you there)[.?!\s]*$/iu,
    ko: ['네, 듣고 있습니다. 무엇을 도와드릴까요?'],
    en: ['Yes, I am here. What can I do for you?'],
  },
  {
    said: /^(?:음+|흠+|어+|아+|에+|글쎄[요다]?|그게|저+|hm+|um+|uh+|er+|well|huh|idk|whatever|아무거나|몰라요?|모르겠(?:어|다|네)요?)[.…~!?,\s]*$/iu,
    ko: ['천천히 말씀해 주세요. 계산, 날짜와 시각, 문서에서 찾기를 도울 수 있습니다.'],
    en: ['Take your time. I can help with sums, dates and times, and with looking things up in documents.'],
  },
  {
    said: /^(?:ㅋ{2,}|ㅎ{2,}|하하+|haha\w*|lol)\S*(?:\s(?:웃기|재밌|재미|웃겨|대박|미치|뭐야|그러|그래|진짜|헐|that|so|good|funny|nice)[가-힣a-z\s]{0,14})[.!~ㅋㅎ]*$|^(?:헐|대박|와우|우와|진짜\??|정말\??|wow|omg|really\??)[.!~ㅋㅎ\s]*$/iu,
    ko: ['하하, 저도 재미있습니다. 더 필요한 것이 있으면 말씀해 주세요.'],
    en: ['Ha! Tell me if you need anything else.'],
  },
];

/** Questions for an opinion or a preference: a program of rules has none. */
const opinion =
  /어떻게\s?생각|(?:이|가|게|은|는)\s?(?:더\s?)?(?:좋아|나아|낫나|맛있어|예뻐)\??\s.{0,20}(?:좋아|나아|맛있어|예뻐)|(?:너|넌|당신)(?:는|은|도)?\s.{0,20}(?:좋아해|싫어해|믿어|생각해|좋아하)|\b(?:do you (?:like|love|prefer|think|believe|want|dream|hate)|what do you think|your (?:favou?rite|opinion|hobby|hobbies))\b/iu;

const maxChars = 60;

/**
 * Answers small talk without knowledge: its identity, feelings, jokes, praise and insults. Returns `undefined` for all else. This includes
 * greetings and thanks, which each set of rules answers with its own abilities.
 */
export function answerSmallTalk(input: string, korean: boolean = answersInKorean(input)): string | undefined {
  const text = input.trim();
  if (text.length > maxChars || text.includes('\n')) return undefined;
  const topic = topics.find(({ said }) => said.test(text));
  if (topic) {
    const answers = korean ? topic.ko : topic.en;
    return answers[text.length % answers.length];
  }
  if (text !== '' && !/[\p{L}\p{N}]/u.test(text))
    return korean || !/[a-z]/i.test(text) ? '무엇을 도와드릴까요? Ask me anything: sums, dates and times, documents.' : undefined;
  if (!opinion.test(text)) return undefined;
  return korean
    ? `저는 규칙으로 답해서 취향이나 의견이 없습니다. 함께 따져 보려면 ${modelNeeded.korean}.`
    : `I answer by rules and have no opinions. Weighing that up ${modelNeeded.english}.`;
}
