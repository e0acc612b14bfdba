/** Korean words for a number of days, from two on; 하루 and 일주일 also mean a day and a week. */
export const koreanDays: Readonly<Record<string, number>> = {
  이틀: 2,
  사흘: 3,
  나흘: 4,
  닷새: 5,
  엿새: 6,
  이레: 7,
  여드레: 8,
  아흐레: 9,
  열흘: 10,
  보름: 15,
};
