/** Limits of a JSON text. */
export type JsonLimits = {
  /** Maximum nesting depth of objects and arrays. */
  depth: number
  /** Maximum number of values of all kinds. */
  values: number
}

const quote = 0x22
const comma = 0x2c
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Returns the position of the quote that ends the string beginning at `start`, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((end - before) % 2 === 1) return end
  }
  return text.length
}

/**
 * Returns the limit that a JSON text exceeds, without parsing; undefined if it exceeds none. Reads each character at
 * most once, and stops at the first excess. Invalid JSON is left to the parser.
 */
export const jsonShapeProblem = (text: string, limits: JsonLimits): 'depth' | 'values' | undefined => {
  let depth = 0
  let values = 1
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case quote:
        i = endOfString(text, i)
        break
      case openList:
      case openObject:
        if (++depth > limits.depth) return 'depth'
        if (++values > limits.values) return 'values'
        break
      case closeList:
      case closeObject:
        depth--
        break
      case comma:
        if (++values > limits.values) return 'values'
        break
      default:
    }
  }
  return undefined
}
