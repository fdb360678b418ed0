const startsWord = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')

/** The number of gaps between the letters of a word, taken from `at` on; undefined when they are too far apart. */
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

/**
 * The score of one word of a search in a text, both in lower case: 0 when the text does not have its letters in order.
 */
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
 * The score of a text for a search, from 0 (no match) to 100 (equal). Every word of the search must be in the text, in
 * any order and letter case. At worst, its letters begin at the start of a word, with a few others between them. The
 * start of the text scores most, then the start of a word, the inside of a word, and letters with gaps. An empty search
 * matches everything equally.
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
