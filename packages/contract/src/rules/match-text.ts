const startsWord = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')

/** How many gaps there are between the letters of a word when they are taken from `at` on; undefined when they are not near by. */
const gapsFrom = (text: string, word: string, at: number): number | undefined => {
  let [place, gaps] = [at, 0]
  for (const letter of word) {
    const next = text.indexOf(letter, place)
    if (next === -1) return undefined
    if (next !== place) gaps++
    place = next + letter.length
  }
  return place - at <= 3 * word.length + 2 ? gaps : undefined
}

/** How well one word of a search fits a text, both in lower case: 0 when its letters are not in there in order. */
const wordScore = (text: string, word: string): number => {
  if (text === word) return 100
  if (text.startsWith(word)) return 90
  const at = text.indexOf(word)
  if (at > 0) return startsWord(text, at) ? 75 : 50
  const [first = ''] = word
  let best = 0
  for (let begin = text.indexOf(first); begin !== -1; begin = text.indexOf(first, begin + 1)) {
    const gaps = startsWord(text, begin) ? gapsFrom(text, word, begin) : undefined
    if (gaps !== undefined) best = Math.max(best, 40 - 6 * gaps, 1)
  }
  return best
}

/**
 * How well a text fits a search, from 0 (not) to 100 (it is the text): every word of the search must be in the text, in
 * any order and letter case, at worst from the start of one on with a few other letters between its own. The start of the text counts more than that of
 * a word, that more than the middle of one, and letters with gaps the least. An empty search fits everything alike.
 */
export const matchScore = (text: string, search: string): number => {
  const [lower, wanted] = [text.toLowerCase(), search.trim().toLowerCase()]
  if (wanted === '') return 1
  const whole = wordScore(lower, wanted)
  if (whole > 40) return whole
  let worst = 100
  for (const word of wanted.split(/\s+/)) worst = Math.min(worst, wordScore(lower, word))
  return worst === 0 ? 0 : Math.max(whole, Math.min(worst, 70))
}
