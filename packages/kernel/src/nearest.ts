/** Maximum compared characters of a text. */
const comparedLength = 100
/**
 * Maximum known texts that are compared character by character. They are the texts with the most characters in common.
 */
const maxCompared = 40

/** Lowercases a text and removes its separators, because people often mistype case and separators. */
const plain = (text: string): string =>
  text
    .slice(0, comparedLength)
    .toLowerCase()
    .replace(/[_\-. ]/g, '')

/** Rows of `editDistance`, which are reused, because allocating them would be most of the work of a comparison. */
const rows = [0, 1, 2].map(() => new Uint16Array(2 * comparedLength + 2)) as [Uint16Array, Uint16Array, Uint16Array]

/**
 * Returns the number of insertions, deletions, replacements and swaps of neighbors that convert one text to the other.
 * Returns at least `limit` if there are more.
 */
const editDistance = (first: string, second: string, limit: number): number => {
  if (Math.abs(first.length - second.length) >= limit) return limit
  let [beforeLast, last, current] = rows
  for (let column = 0; column <= second.length; column++) last[column] = column
  for (let row = 1; row <= first.length; row++) {
    current[0] = row
    let min = row
    const own = first.charCodeAt(row - 1)
    const before = first.charCodeAt(row - 2)
    for (let column = 1; column <= second.length; column++) {
      const other = second.charCodeAt(column - 1)
      const swapped = row > 1 && column > 1 && own === second.charCodeAt(column - 2) && before === other
      const distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (own === other ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : limit,
      )
      current[column] = distance
      if (distance < min) min = distance
    }
    if (min >= limit) return limit
    ;[beforeLast, last, current] = [last, current, beforeLast]
  }
  return last[second.length] ?? limit
}

/** Returns the character counts of a text. Several characters may share a counter. */
const countsOf = (text: string): Int16Array => {
  const counts = new Int16Array(128)
  for (let at = 0; at < text.length; at++) {
    const place = text.charCodeAt(at) & 127
    counts[place] = (counts[place] ?? 0) + 1
  }
  return counts
}

/** Returns a lower bound of `editDistance`, computed quickly from the character counts of both texts. */
const minDistance = (first: string, counts: Int16Array, second: string): number => {
  const left = counts.slice()
  let shared = 0
  for (let at = 0; at < second.length; at++) {
    const place = second.charCodeAt(at) & 127
    const count = left[place] ?? 0
    if (count === 0) continue
    left[place] = count - 1
    shared++
  }
  return Math.max(first.length, second.length) - shared
}

/**
 * Returns the known text with the fewest edits from a misspelled text, ignoring case and separators. If several have
 * equally few, returns the first of them. Undefined if there are no known texts. To bound the work, only 100 characters
 * of each text and the 40 known texts with the most characters in common are compared.
 */
export const nearestText = (text: string, known: Iterable<string>): string | undefined => {
  const wanted = plain(text)
  const counts = countsOf(wanted)
  const candidates = Array.from(known, (name, index) => {
    const compared = plain(name)
    return { name, index, compared, min: minDistance(wanted, counts, compared) }
  })
  candidates.sort((one, other) => one.min - other.min || one.index - other.index)
  let nearest: (typeof candidates)[number] | undefined
  let distance = Number.POSITIVE_INFINITY
  for (const candidate of candidates.slice(0, maxCompared)) {
    if (candidate.min > distance) break
    const found = editDistance(wanted, candidate.compared, distance + 1)
    if (found > distance || (found === distance && nearest !== undefined && candidate.index > nearest.index)) continue
    nearest = candidate
    distance = found
  }
  return nearest?.name
}
