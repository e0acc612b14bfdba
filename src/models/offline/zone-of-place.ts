/** Zones of places: Korean names, and English names without a zone of the same name. */
const places: Readonly<Record<string, string>> = {
  'Asia/Seoul': '한국|대한민국|서울|부산|인천|대구|대전|광주|울산|제주|제주도|수원|korea|south korea|busan|incheon|daegu|daejeon|jeju',
  'Asia/Pyongyang': '북한|평양|north korea',
  'Asia/Tokyo': '일본|도쿄|동경|오사카|교토|후쿠오카|삿포로|나고야|오키나와|japan|osaka|kyoto|fukuoka|sapporo|nagoya|okinawa',
  'Asia/Shanghai': '중국|베이징|북경|상하이|상해|광저우|선전|심천|칭다오|china|beijing|guangzhou|shenzhen|qingdao',
  'Asia/Hong_Kong': '홍콩',
  'Asia/Macau': '마카오|macao',
  'Asia/Taipei': '대만|타이완|타이베이|타이페이|taiwan',
  'Asia/Singapore': '싱가포르|싱가폴',
  'Asia/Bangkok': '태국|방콕|치앙마이|푸켓|thailand|phuket|chiang mai',
  'Asia/Ho_Chi_Minh': '베트남|하노이|호치민|호찌민|다낭|나트랑|vietnam|hanoi|saigon|da nang|ho chi minh city',
  'Asia/Manila': '필리핀|마닐라|세부|보라카이|philippines|cebu',
  'Asia/Kuala_Lumpur': '말레이시아|쿠알라룸푸르|코타키나발루|malaysia',
  'Asia/Jakarta': '자카르타',
  'Asia/Makassar': '발리|bali',
  'Asia/Kolkata':
    '인도|뭄바이|델리|뉴델리|벵갈루루|방갈로르|콜카타|첸나이|india|mumbai|delhi|new delhi|bangalore|bengaluru|chennai|hyderabad|calcutta',
  'Asia/Kathmandu': '네팔|카트만두|nepal',
  'Asia/Dubai': '두바이|아부다비|아랍에미리트|uae|abu dhabi|united arab emirates',
  'Asia/Riyadh': '사우디|사우디아라비아|리야드|saudi arabia|mecca',
  'Asia/Qatar': '카타르|도하|doha',
  'Asia/Tehran': '이란|테헤란|iran',
  'Asia/Jerusalem': '이스라엘|예루살렘|텔아비브|israel|tel aviv',
  'Europe/Istanbul': '터키|튀르키예|이스탄불|turkey|ankara',
  'Asia/Ulaanbaatar': '울란바토르|ulan bator',
  'Asia/Vladivostok': '블라디보스토크',
  'Europe/London':
    '영국|런던|에든버러|맨체스터|리버풀|uk|england|britain|great britain|united kingdom|edinburgh|manchester|liverpool|scotland',
  'Europe/Dublin': '아일랜드|더블린|ireland',
  'Europe/Paris': '프랑스|파리|니스|리옹|france|nice|lyon|marseille',
  'Europe/Berlin': '독일|베를린|뮌헨|프랑크푸르트|함부르크|germany|munich|frankfurt|hamburg|cologne',
  'Europe/Rome': '이탈리아|로마|밀라노|베네치아|베니스|피렌체|italy|milan|venice|florence|naples',
  'Europe/Madrid': '마드리드|바르셀로나|세비야|barcelona|seville|valencia',
  'Europe/Lisbon': '리스본',
  'Europe/Amsterdam': '네덜란드|암스테르담|netherlands|rotterdam',
  'Europe/Brussels': '벨기에|브뤼셀|belgium',
  'Europe/Zurich': '스위스|취리히|제네바|베른|switzerland|geneva|bern|basel',
  'Europe/Vienna': '오스트리아|빈|비엔나|austria|salzburg',
  'Europe/Prague': '체코|프라하|czech republic|czechia',
  'Europe/Budapest': '헝가리|부다페스트|hungary',
  'Europe/Warsaw': '폴란드|바르샤바|poland|krakow',
  'Europe/Stockholm': '스웨덴|스톡홀름|sweden',
  'Europe/Oslo': '노르웨이|오슬로|norway',
  'Europe/Copenhagen': '코펜하겐',
  'Europe/Helsinki': '핀란드|헬싱키|finland',
  'Europe/Athens': '그리스|아테네|greece',
  'Europe/Moscow': '모스크바|saint petersburg|st petersburg|상트페테르부르크',
  'Europe/Kiev': '우크라이나|키이우|키예프|ukraine|kyiv',
  'Atlantic/Reykjavik': '아이슬란드|레이캬비크|iceland',
  'Africa/Cairo': '이집트|카이로|egypt',
  'Africa/Johannesburg': '남아공|남아프리카공화국|요하네스버그|케이프타운|south africa|cape town',
  'Africa/Nairobi': '케냐|나이로비|kenya',
  'Africa/Lagos': '나이지리아|라고스|nigeria',
  'Africa/Casablanca': '모로코|카사블랑카|morocco|marrakech',
  'America/New_York':
    '뉴욕|워싱턴|보스턴|마이애미|애틀랜타|필라델피아|올랜도|nyc|new york city|washington dc|washington d.c.|boston|miami|atlanta|philadelphia|orlando|charlotte|pittsburgh',
  'America/Chicago':
    '시카고|댈러스|달라스|휴스턴|오스틴|뉴올리언스|dallas|houston|austin|new orleans|minneapolis|nashville|san antonio|memphis',
  'America/Denver': '덴버|솔트레이크시티|salt lake city|albuquerque',
  'America/Phoenix': '피닉스',
  'America/Los_Angeles':
    '로스앤젤레스|엘에이|la|l.a.|샌프란시스코|시애틀|라스베이거스|라스베가스|샌디에이고|포틀랜드|캘리포니아|실리콘밸리|san francisco|sf|seattle|las vegas|vegas|san diego|portland|san jose|california|silicon valley',
  'America/Anchorage': '앵커리지|알래스카|alaska',
  'Pacific/Honolulu': '하와이|호놀룰루|hawaii',
  'America/Toronto': '토론토|오타와|몬트리올|퀘벡|ottawa|montreal|quebec',
  'America/Vancouver': '밴쿠버|벤쿠버',
  'America/Edmonton': '캘거리|에드먼턴|calgary',
  'America/Mexico_City': '멕시코시티',
  'America/Havana': '쿠바|아바나|cuba',
  'America/Sao_Paulo': '상파울루|리우데자네이루|리우|rio de janeiro|rio|são paulo|brasilia',
  'America/Argentina/Buenos_Aires': '아르헨티나|부에노스아이레스|argentina|buenos aires',
  'America/Lima': '페루|리마|peru',
  'America/Bogota': '콜롬비아|보고타|colombia',
  'America/Santiago': '산티아고',
  'Australia/Sydney': '시드니|캔버라|canberra',
  'Australia/Melbourne': '멜버른|멜번',
  'Australia/Brisbane': '브리즈번|골드코스트|gold coast',
  'Australia/Perth': '퍼스',
  'Pacific/Auckland': '뉴질랜드|오클랜드|웰링턴|new zealand|wellington|christchurch',
  'Pacific/Guam': '괌|사이판|saipan',
  UTC: 'utc|gmt|협정 ?세계시|세계시|그리니치|greenwich',
};

/** Countries with several zones, each with cities to ask for. */
const several: Readonly<Record<string, string>> = {
  '미국|usa|us|u.s.|america|the us|the usa|united states|the united states': 'New York, Los Angeles',
  '캐나다|canada': 'Toronto, Vancouver',
  '호주|오스트레일리아|australia': 'Sydney, Perth',
  '러시아|russia': 'Moscow, Vladivostok',
  '브라질|brazil': 'Sao Paulo, Manaus',
  '멕시코|mexico': 'Mexico City, Tijuana',
  '인도네시아|indonesia': 'Jakarta, Bali',
  '카자흐스탄|kazakhstan': 'Almaty, Aqtau',
  '몽골|mongolia': 'Ulaanbaatar, Hovd',
  '스페인|spain': 'Madrid, Atlantic/Canary',
  '포르투갈|portugal': 'Lisbon, Azores',
  '칠레|chile': 'Santiago, Easter',
  '텍사스|texas': 'Dallas, America/Denver',
};

/** The zone of a place; `cities` for a country with several zones. */
export type PlaceZone = { readonly zone: string } | { readonly cities: string };

/** Zone names that also mean something else. */
const notCities = new Set(['christmas', 'easter', 'wake', 'center', 'resolute', 'universal', 'midway']);

const byName = (): ReadonlyMap<string, string> => {
  const names = new Map<string, string>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const [region = '', city, more] = zone.split('/');
    const name = city?.replaceAll('_', ' ').toLowerCase();
    if (name !== undefined && more === undefined && region !== 'Etc' && !notCities.has(name)) names.set(name, zone);
  }
  for (const [zone, spoken] of Object.entries(places)) for (const name of spoken.split('|')) names.set(name, zone);
  return names;
};
/** Built on first use: four hundred names. */
let known: ReadonlyMap<string, string> | undefined;

/**
 * Returns the time zone of a city or country, in Korean or English, or of an IANA name. Returns `undefined` for an unknown place.
 * @example zoneOfPlace('뉴욕') // { zone: 'America/New_York' }
 */
export function zoneOfPlace(place: string): PlaceZone | undefined {
  const name = place.trim().toLowerCase().replace(/\s+/g, ' ');
  if (name === '' || name.length > 40) return undefined;
  known ??= byName();
  const zone = known.get(name) ?? known.get(name.replace(/ ?시(?:티)?$|^the /u, '')) ?? known.get(name.replace(/,.*$/, ''));
  if (zone !== undefined) return { zone };
  const iana = /^[a-z]+\/[a-z_/]+$/.test(name) && Intl.supportedValuesOf('timeZone').find((one) => one.toLowerCase() === name);
  if (iana) return { zone: iana };
  const country = Object.keys(several).find((names) => names.split('|').includes(name));
  return country === undefined ? undefined : { cities: several[country] ?? '' };
}
