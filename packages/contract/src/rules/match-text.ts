const startsWord = (text: string, at: number): boolean => at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')

/**
 * Returns the number of gaps between the letters of a word, searched in the text from `at` on; undefined if the letters
 * are missing or too far apart.
 */
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
 * Returns the score of one word of a search in a text, both in lower case; 0 if the text does not have the letters of
 * the word in order.
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
 * Returns the score of a text for a search, from 0 (no match) to 100 (equal). The words of the search can be in any
 * order and letter case. If the text does not contain a word, its letters must follow in order from the start of a
 * word, close together. The start of the text scores most, then the start of a word, the inside of a word, and letters
 * with gaps. An empty search matches everything equally.
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
