/** The first invalid character of a JSON text. */
export class Mistake extends Error {
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

const space = /[ \t\n\r]*/y
// oxlint-disable-next-line eslint/no-control-regex -- JSON allows none of these inside of a text
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Parses JSON text and calls `onValue` with the path and the start of each value. If a name is repeated, its last value
 * counts, as in JSON.parse. Throws Mistake at the first invalid character.
 */
export const walkJson = (text: string, onValue: (names: readonly string[], offset: number) => void): void => {
  let at = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const skip = (): void => void match(space)
  const expected = (what: string): never => {
    throw new Mistake(at >= text.length ? `The JSON ends here, expected ${what}` : `Expected ${what} here`, at)
  }
  const take = (character: string): boolean => {
    skip()
    if (text[at] !== character) return false
    at++
    return true
  }
  const list = (end: string, entry: (index: number) => void): void => {
    if (take(end)) return
    for (let index = 0; ; index++) {
      entry(index)
      if (take(end)) return
      if (!take(',')) expected(`"," or "${end}"`)
    }
  }
  const value = (names: readonly string[]): void => {
    skip()
    onValue(names, at)
    if (names.length > 100) throw new Mistake('The JSON is nested too deeply', at)
    if (take('{'))
      list('}', () => {
        skip()
        const name = match(string) ?? expected('a name in double quotes')
        if (!take(':')) expected('":"')
        value([...names, JSON.parse(name)])
      })
    else if (take('[')) list(']', (index) => value([...names, String(index)]))
    else if ((match(string) ?? match(scalar)) === undefined) expected('a value')
  }
  value([])
  skip()
  if (at < text.length) throw new Mistake('There is extra text after the end of the JSON', at)
}

/**
 * Returns the offset at which the value at these names starts. If the value is missing, returns the offset of the nearest
 * value around it.
 */
export const offsetOfNames = (text: string, wanted: readonly string[]): number => {
  let best = 0
  let depth = -1
  walkJson(text, (names, offset) => {
    if (names.length < depth || !names.every((name, index) => name === wanted[index])) return
    best = offset
    depth = names.length
  })
  return best
}

/** Line and column of a character, both starting with 1. */
export const lineOf = (text: string, offset: number): { line: number; column: number } => {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
