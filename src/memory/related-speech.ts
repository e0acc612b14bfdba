import { spokenTokens } from './spoken-tokens.ts';

/** Words of everyday life of which one is asked by and another was said: a group in each line, English and Korean together. */
const groups = `
dog puppy pup hound|강아지 반려견 멍멍이
cat kitten kitty|고양이 냥이
pet animal|반려동물 동물
husband wife spouse partner|남편 아내 와이프 배우자 신랑
sister brother sibling|누나 언니 여동생 남동생 형제 동생
parent mother father|부모 엄마 아빠 어머니 아버지
child baby son daughter twin|아이 아기 아들 딸 쌍둥이
boyfriend girlfriend date|남자친구 여자친구 애인
wedding marry husband wife|결혼 결혼식 신혼 예식
born birth birthday baby|생일 생신 태어 출산
death die funeral|장례 돌아가시 세상
job work profession occupation career company|직업 일자리 직장 회사 취직
quit resign notice fired|그만 퇴사 사직 퇴직
boss manager head supervisor|팀장 부장 상사 사장
colleague coworker team|동료 팀원 직원
salary pay wage|월급 연봉 급여
school university college class course|학교 대학 수업 강의 과정
study learn major practise|공부 전공 배우 유학
teacher tutor instructor professor|선생 교수 강사 과외
exam test grade pass|시험 성적 합격
home house flat apartment move lease|집 아파트 이사 계약 월세
rent landlord landlady lease|월세 전세 집주인
car vehicle drive|자동차 운전 차량
accident crash collision|사고 접촉 충돌
bicycle bike cycle|자전거
train flight plane trip travel journey|여행 비행기 기차 출발 떠나
holiday vacation leave trip|휴가 여행 방학
hotel stay hostel cabin|숙소 호텔 펜션 묵
flight plane fly airport|비행기 항공 공항 출국
city town place visit|도시 동네 방문
sick ill disease health|병 아프 건강 증상
doctor physician hospital clinic|의사 병원 진료 의원
surgery operate operation|수술
prescribe medicine medication pill drug|처방 약 복용 소염제
allergy rash swell|알레르기 알러지 두드러기
hurt injure injury break wound cut|다치 부상 삐 골절
pain ache sore|아프 통증 뻐근
food meal dish eat|음식 요리 식사 먹
drink coffee tea beer wine|음료 커피 술 맥주 차
breakfast morning|아침 조식
dinner supper evening|저녁 석식
restaurant cafe|식당 카페 맛집
bakery bread cake|빵 제과 케이크
hobby pastime class paint run play|취미 동호회 여가
sport exercise run swim gym|운동 스포츠 달리기 수영 마라톤
run marathon jog|달리기 마라톤 뛰
instrument piano guitar violin cello drum|악기 피아노 기타 바이올린 첼로 드럼
music song band concert|음악 노래 밴드 공연
paint painting draw picture art|그림 수채화 벽화 미술
book novel read author|책 소설 독서
film movie cinema|영화
game play|게임 놀이
gift present give|선물 주
buy purchase shop order|사 구입 구매 쇼핑
sell sale|팔 판매
money cost price budget expense|돈 비용 가격 예산 한도
borrow lend loan|빌리 대출
name call|이름 부르 별명
password code pin|비밀번호 암호
key lock|열쇠 키
phone mobile|전화 휴대폰 핸드폰
deadline due submission|마감 기한 제출
meeting appointment|회의 미팅 약속
interview application apply|면접 지원
contract agreement sign|계약 서명
win award prize|우승 상 수상
lose lost missing|잃 분실
steal thief rob|도둑 훔치 도난
friend buddy|친구
afraid scare fear frighten|무섭 겁 두렵
like love enjoy favourite favorite|좋아 즐기 최애
dislike hate mad|싫 질색
happy glad joy|기쁘 행복
sad cry tear|슬프 울
plan want intend|계획 예정 하고
garden plant flower|정원 텃밭 식물
kitchen oven cook|부엌 주방 요리
sea beach ocean swim sand|바다 바닷가 해변
mountain hike climb|산 등산
weather rain snow|날씨 비 눈
clothes dress wear shirt|옷 입
aunt uncle cousin niece nephew relative|이모 고모 삼촌 사촌 조카 친척
family relative parent child|가족 식구 친척
neighbour neighbor|이웃 옆집
baby pregnant expecting birth|임신 출산 아기
divorce separate split|이혼 헤어지
engagement propose ring fiance|약혼 프러포즈 청혼
hire recruit employ|채용 고용
promotion promote raise|승진 진급
presentation talk speech slide|발표 강연
conference workshop event|학회 행사 워크숍
research thesis paper dissertation|연구 논문
degree graduate diploma|학위 졸업
language speak translate|언어 외국어 통역
volunteer charity donate shelter|봉사 기부 자선
support help assist|도움 돕 지원
therapy therapist counselling counselor|상담 심리 치료
stress anxiety worry nervous|스트레스 불안 걱정
tired exhausted sleep rest|피곤 잠 휴식
diet weight calorie|다이어트 체중
smoke cigarette tobacco|담배 흡연 금연
alcohol beer wine drunk|술 맥주 와인 소주
vegetarian vegan meat|채식 고기
fruit apple berry|과일 사과
dessert sweet cake chocolate|디저트 초콜릿 케이크
recipe cook bake|요리법 레시피 요리
furniture sofa chair table bed|가구 소파 의자 침대
repair fix mend broken|고치 수리 고장
clean wash tidy|청소 빨래 정리
colour color red blue green yellow black white|색 빨간 파란 초록 노란 검정 하얀
size big small large|크기 사이즈
weigh weight heavy kilo|무게 킬로 무겁
height tall metre|키 높이 미터
speed fast slow|속도 빠르 느리
distance far kilometre mile|거리 킬로미터
duration hour minute week|시간 기간 동안
yesterday today tomorrow date day|어제 오늘 내일 날짜
address street live|주소 거리 살
country nation abroad foreign|나라 해외 외국
live reside home|살 거주
leave depart go|떠나 출발 나가
return back|돌아오 귀국
arrive come reach|도착 오 들어오
visit see meet|방문 만나 찾아
tent camp hike forest|캠핑 야영 숲
museum gallery exhibition art|박물관 미술관 화랑 전시 개인전
theatre theater play stage act|연극 극장 무대
performance show concert stage|공연 무대 콘서트
photograph camera picture|사진 카메라
dance ballet|춤 무용
pottery clay ceramic bowl|도자기 그릇 흙
knit sew fabric|뜨개질 바느질
computer laptop program software|컴퓨터 노트북 프로그램
website app online internet wi-fi network|홈페이지 인터넷 앱 와이파이
email mail letter message|메일 편지 문자
police officer crime report|경찰 신고 범죄
lawyer attorney court law|변호사 법원 소송
insurance insure claim|보험 보상
bank account savings|은행 통장 저축
invest fund stock|투자 주식
tax refund|세금 환급
celebrate party festival anniversary|잔치 파티 축제 기념일
birthday age old turn|생일 나이 살
church religion pray faith|교회 종교 기도
goal dream ambition hope|목표 꿈 희망
motivate inspire reason because|이유 동기 계기
opinion think believe|의견 생각
problem trouble issue difficulty|문제 곤란 어려움
argue quarrel fight|싸우 다투 말다툼
agree accept approve|동의 승인 받아들이
refuse reject decline turn|거절 거부
start begin launch open|시작 열 개업
finish end complete|끝나 마치 완주
cancel postpone delay|취소 연기 미루
change switch replace|바꾸 변경 교체
collect gather save|모으 수집
grow plant raise|키우 기르 재배
bird fish rabbit horse|새 물고기 토끼 말
tree flower leaf|나무 꽃 잎
river lake stream|강 호수 계곡
winter summer spring autumn fall season|겨울 여름 봄 가을 계절
`;

interface Group {
  readonly members: readonly (readonly string[])[];
}

const all: readonly Group[] = groups
  .trim()
  .split('\n')
  .map((line) => ({ members: line.split(/[| ]/).map((word) => spokenTokens(word)) }));

const groupsOf = new Map<string, Group[]>();
for (const group of all) {
  for (const tokens of group.members) {
    const [first = ''] = tokens;
    groupsOf.set(first, [...(groupsOf.get(first) ?? []), group]);
  }
}

/** Tokens of words that are about the same as some of these, which are not among them. */
export function relatedTokens(tokens: readonly string[]): ReadonlySet<string> {
  const asked = new Set(tokens);
  const related = new Set<string>();
  for (const token of asked) {
    for (const { members } of groupsOf.get(token) ?? []) {
      if (!members.some((member) => member[0] === token && member.every((one) => asked.has(one)))) continue;
      for (const member of members) for (const one of member) if (!asked.has(one)) related.add(one);
    }
  }
  return related;
}
