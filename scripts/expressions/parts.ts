/** A part of an expression's source: its kind and its text. */
export type Part = {
  kind: 'character' | 'open' | 'close' | 'quantifier' | 'or' | 'start' | 'end' | 'other'
  text: string
}

const shapes: readonly (readonly [Part['kind'], RegExp])[] = [
  ['other', /\\[bB]|\\k<[^>]{1,50}>|\\[1-9]\d?/y],
  ['character', /\\[pP]\{[^}]{1,50}\}|\\u\{[^}]{1,10}\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\[^]/y],
  ['character', /\[(?:[^\]\\]|\\[^])*\]/y],
  ['open', /\((?:\?(?:[:=!]|<[=!]|<[^>=!]{1,50}>))?/y],
  ['close', /\)/y],
  ['quantifier', /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y],
  ['or', /\|/y],
  ['start', /\^/y],
  ['end', /\$/y],
  ['character', /[^]/y],
]

/** Returns the parts of an expression's source, in order. Surrogate pairs are not split. */
export const partsOf = (source: string): Part[] => {
  const parts: Part[] = []
  let position = 0
  while (position < source.length) {
    for (const [kind, shape] of shapes) {
      shape.lastIndex = position
      const [text] = shape.exec(source) ?? []
      if (text === undefined) continue
      parts.push({ kind, text })
      position += text.length
      break
    }
  }
  return parts
}

/** Whether a quantifier allows different counts beyond 0 and 1. */
const varies = (quantifier: string): boolean => !/^(?:\?|\{\d+\})\??$/.test(quantifier)

type Element = { text: string; min: number; isVarying: boolean }

/** Returns the minimum count that a quantifier allows. */
const minOf = (quantifier: string): number =>
  /^[*?]/.test(quantifier) ? 0 : Number(/^\{(\d+)/.exec(quantifier)?.[1] ?? 1)

/**
 * Returns the characters of an expression that is a plain sequence, without alternatives or repeated groups; undefined
 * for any other expression.
 */
const sequenceOf = (parts: readonly Part[]): Element[] | undefined => {
  const elements: Element[] = []
  for (const [index, { kind, text }] of parts.entries()) {
    const next = parts[index + 1]
    const quantifier = next?.kind === 'quantifier' ? next.text : ''
    if (kind === 'character')
      elements.push({
        text,
        min: quantifier === '' ? 1 : minOf(quantifier),
        isVarying: quantifier !== '' && !/^\{\d+\}\??$/.test(quantifier),
      })
    else if (kind === 'or' || kind === 'other' || kind === 'start') return undefined
    else if (kind === 'end' && index !== parts.length - 1) return undefined
    else if (kind === 'open' && !(text === '(' || text === '(?:' || /^\(\?<[^=!]/.test(text))) return undefined
    else if (kind === 'close' && quantifier !== '') return undefined
  }
  return elements
}

const units = 65_536
const sets = new Map<string, Uint8Array>()

/** Returns which UTF-16 units a part matches: an array with a mark for each of them. */
const setOf = (part: string, flags: string): Uint8Array => {
  const key = `${part}/${flags}`
  const known = sets.get(key)
  if (known !== undefined) return known
  const pattern = new RegExp(`^(?:${part})$`, flags.replaceAll(/[gy]/g, ''))
  const set = Uint8Array.from({ length: units }, (_, unit) => (pattern.test(String.fromCharCode(unit)) ? 1 : 0))
  sets.set(key, set)
  return set
}

const overlap = (a: string, b: string, flags: string): boolean => {
  const [first, second] = [setOf(a, flags), setOf(b, flags)]
  return first.some((takes, unit) => takes === 1 && second[unit] === 1)
}

/**
 * Whether each character of a text can be matched in only one way. That is so if the characters of a repetition differ
 * from all characters that may follow, up to the next required part. At the start of a text, such an expression needs
 * one step per character to find out that fewer repetitions do not match either.
 */
const hasOneWay = (parts: readonly Part[], flags: string): boolean => {
  if (/[muv]/.test(flags) || parts[0]?.kind !== 'start') return false
  const elements = sequenceOf(parts.slice(1))
  if (elements === undefined) return false
  return elements.every(({ text, isVarying }, index) => {
    if (!isVarying) return true
    for (const after of elements.slice(index + 1)) {
      if (overlap(text, after.text, flags)) return false
      if (after.min > 0) return true
    }
    return true
  })
}

/**
 * Whether the form of an expression shows that it takes linear time. Either its repetitions have only a few fixed
 * counts. Or it begins at the start of the text, and repeats only one character a varying number of times or can match
 * each character in one way. False does not mean that the expression is slower.
 */
export const isLinearByForm = (source: string, flags: string): boolean => {
  const parts = partsOf(source)
  if (hasOneWay(parts, flags)) return true
  const quantifiers = parts.filter(({ kind }) => kind === 'quantifier')
  const optional = quantifiers.filter(({ text }) => text.startsWith('?')).length
  const repeats = parts.filter(({ kind, text }) => kind === 'quantifier' && text.startsWith('{') && !varies(text))
  const longest = Math.max(0, ...repeats.map(({ text }) => Number(/\d+/.exec(text)?.[0])))
  if (optional > 6 || longest > 100 || parts.some(({ kind, text }) => kind === 'other' && !/^\\[bB]$/.test(text)))
    return false
  // A repeated group repeats its content, so only optional groups are accepted.
  if (
    parts.some(
      ({ kind, text }, index) => kind === 'quantifier' && text.startsWith('{') && parts[index - 1]?.kind === 'close',
    )
  )
    return false
  const varying = quantifiers.filter(({ text }) => varies(text)).length
  if (varying === 0) return true
  if (varying > 1 || parts[0]?.kind !== 'start' || flags.includes('m')) return false
  if (parts.some(({ text }) => text.startsWith('(?<=') || text.startsWith('(?<!'))) return false
  let depth = 0
  for (const [index, { kind, text }] of parts.entries()) {
    if (kind === 'open') depth += 1
    else if (kind === 'close') depth -= 1
    else if (kind === 'or' && depth === 0) return false
    else if (kind === 'quantifier' && varies(text) && parts[index - 1]?.kind !== 'character') return false
  }
  return true
}
