/**
 * Maximum depth of a JSON text, its maximum number of values, and the number of bytes that are scanned without a break.
 */
export type ScanLimits = { depth: number; values: number; sliceBytes: number }

/** A fault of a text, and its byte offset; the offset is `undefined` at the end of the text. */
export type ScanFault = { fault: 'syntax' | 'depth' | 'values'; at: number | undefined }

/** The facts about a body that collection needs. */
export type BodyOutline = {
  isObject: boolean
  /** Whether `batch` of the body is a list, and whether it has items. */
  batch: 'absent' | 'empty' | 'filled'
  /** `writeKey` of the body, and of the first item of its batch, if they are strings of 1 to 256 characters. */
  writeKey: string | undefined
  firstWriteKey: string | undefined
}

const code = (character: string): number => character.charCodeAt(0)
const [quote, backslash, comma, colon] = [code('"'), code('\\'), code(','), code(':')]
const [openList, closeList, openObject, closeObject] = [code('['), code(']'), code('{'), code('}')]
const [minus, plus, dot, zero, nine] = [code('-'), code('+'), code('.'), code('0'), code('9')]

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= nine
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
const isHex = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= code('a') && (byte | 0x20) <= code('f'))

/** Characters that may follow a backslash, besides `u`. */
const escapes: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'))
const literals: ReadonlyMap<number, Buffer> = new Map(
  ['true', 'false', 'null'].map((text) => [code(text), Buffer.from(text)]),
)

/** Returns the position after the string that begins at `start`. A negative result means a fault at `-1 - result`. */
const stringEnd = (body: Buffer, start: number): number => {
  for (let at = start + 1; at < body.length; at++) {
    const byte = body[at] as number
    if (byte === quote) return at + 1
    if (byte < 0x20) return -1 - at
    if (byte !== backslash) continue
    at++
    const escaped = body[at]
    if (escaped === code('u')) {
      for (let digit = 0; digit < 4; digit++) if (!isHex(body[++at])) return -1 - at
    } else if (escaped === undefined || !escapes.has(escaped)) return -1 - at
  }
  return -1 - body.length
}

/** Returns the position after the digits that begin at `start`; `start` itself if there are none. */
const digitsEnd = (body: Buffer, start: number): number => {
  let at = start
  while (isDigit(body[at])) at++
  return at
}

/** Returns the position after the number that begins at `start`. A negative result means a fault at `-1 - result`. */
const numberEnd = (body: Buffer, start: number): number => {
  const whole = body[start] === minus ? start + 1 : start
  let at = body[whole] === zero ? whole + 1 : digitsEnd(body, whole)
  if (at === whole) return -1 - at
  if (body[at] === dot) {
    const fraction = at + 1
    at = digitsEnd(body, fraction)
    if (at === fraction) return -1 - at
  }
  if (((body[at] ?? 0) | 0x20) === code('e')) {
    const sign = body[at + 1]
    const exponent = sign === plus || sign === minus ? at + 2 : at + 1
    at = digitsEnd(body, exponent)
    if (at === exponent) return -1 - at
  }
  return at
}

/** Returns the position after a string, number, or literal. A negative result means a fault at `-1 - result`. */
const scalarEnd = (body: Buffer, start: number): number => {
  const byte = body[start] as number
  if (byte === quote) return stringEnd(body, start)
  if (byte === minus || isDigit(byte)) return numberEnd(body, start)
  const literal = literals.get(byte)
  if (literal === undefined) return -1 - start
  for (let index = 1; index < literal.length; index++)
    if (body[start + index] !== literal[index]) return -1 - (start + index)
  return start + literal.length
}

const maxKeyLength = 256

/**
 * Returns the text of a string with at most `length` characters, with escapes resolved; undefined for any other value.
 */
const textAt = (body: Buffer, start: number, end: number, length: number): string | undefined => {
  if (body[start] !== quote || end - start > 6 * length + 2) return undefined
  const text: unknown = JSON.parse(body.toString('utf8', start, end))
  return typeof text === 'string' && text !== '' && text.length <= length ? text : undefined
}

const names = ['batch', 'writeKey'] as const
type Name = (typeof names)[number]
const quotedNames = names.map((name) => Buffer.from(`"${name}"`))

/**
 * Returns the member name between two positions if it is one of the known names. The length excludes most other names.
 */
const nameAt = (body: Buffer, start: number, end: number): Name | undefined => {
  const found = quotedNames.findIndex(
    (quoted) => quoted.length === end - start && body.compare(quoted, 0, quoted.length, start, end) === 0,
  )
  if (found >= 0) return names[found]
  let escaped = end - start > 6 * 'writeKey'.length + 2 ? end : start
  while (escaped < end && body[escaped] !== backslash) escaped++
  const text = escaped === end ? undefined : textAt(body, start, end, 'writeKey'.length)
  return names.find((name) => name === text)
}

/** Builds the outline during the scan. The last value of a repeated name counts. */
const createOutline = (body: Buffer) => {
  const outline: BodyOutline = { isObject: false, batch: 'absent', writeKey: undefined, firstWriteKey: undefined }
  /** The last read member name of the body (`top`), and of the first item of its batch (`inner`). */
  let top: Name | undefined
  let inner: Name | undefined
  let inList = false
  let index = 0
  const inFirst = (depth: number): boolean => depth === 3 && inList && index === 0
  return {
    outline,
    name(depth: number, start: number, end: number): void {
      if (depth === 1) {
        top = nameAt(body, start, end)
        inList = false
      } else if (inFirst(depth)) inner = nameAt(body, start, end)
    },
    /** Records a value at a nesting depth; `end` is the end of a value that is neither a list nor an object. */
    value(depth: number, start: number, end: number): void {
      const byte = body[start]
      if (depth === 0) outline.isObject = byte === openObject
      else if (depth === 1 && outline.isObject) {
        if (top === 'writeKey') outline.writeKey = textAt(body, start, end, maxKeyLength)
        if (top !== 'batch') return
        Object.assign(outline, { batch: byte === openList ? 'empty' : 'absent', firstWriteKey: undefined })
        inList = byte === openList
        inner = undefined
        index = 0
      } else if (depth === 2 && inList) outline.batch = 'filled'
      else if (inFirst(depth) && inner === 'writeKey') outline.firstWriteKey = textAt(body, start, end, maxKeyLength)
    },
    comma(depth: number): void {
      if (depth === 2 && inList) index++
    },
  }
}

type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'comma-or-end' | 'nothing'

/**
 * Checks whether a text is JSON, with the same rules as `JSON.parse` but without creating values. Returns the outline
 * of the text. Pauses after each slice of bytes, so that the caller can let other work run. For a body of 4 MB that
 * consists of empty objects, `JSON.parse` takes more than 150 ms without a break.
 */
export function* scanJson(body: Buffer, limits: ScanLimits): Generator<void, BodyOutline | ScanFault> {
  const { outline, name, value, comma: nextItem } = createOutline(body)
  const isObject = new Uint8Array(limits.depth + 1)
  let depth = 0
  let values = 1
  let expected: Expected = 'value'
  let rest = limits.sliceBytes
  const syntax = (at: number): ScanFault => ({ fault: 'syntax', at: at < body.length ? at : undefined })
  for (let at = 0; at < body.length; ) {
    if (at >= rest) {
      yield
      rest = at + limits.sliceBytes
    }
    const byte = body[at] as number
    if (isSpace(byte)) {
      at++
      continue
    }
    if (expected === 'value' || expected === 'value-or-end') {
      if (byte === openList || byte === openObject) {
        value(depth, at, at)
        if (++depth > limits.depth) return { fault: 'depth', at }
        if (++values > limits.values) return { fault: 'values', at }
        isObject[depth] = byte === openObject ? 1 : 0
        expected = byte === openObject ? 'name-or-end' : 'value-or-end'
        at++
        continue
      }
      if (expected === 'value' || byte !== closeList) {
        const end = scalarEnd(body, at)
        if (end < 0) return syntax(-1 - end)
        value(depth, at, end)
        expected = depth === 0 ? 'nothing' : 'comma-or-end'
        at = end
        continue
      }
    } else if (byte === quote && (expected === 'name' || expected === 'name-or-end')) {
      const end = stringEnd(body, at)
      if (end < 0) return syntax(-1 - end)
      name(depth, at, end)
      expected = 'colon'
      at = end
      continue
    } else if (expected === 'colon' && byte === colon) {
      expected = 'value'
      at++
      continue
    } else if (expected === 'comma-or-end' && byte === comma) {
      if (++values > limits.values) return { fault: 'values', at }
      nextItem(depth)
      expected = isObject[depth] === 1 ? 'name' : 'value'
      at++
      continue
    }
    // The end of an open list or object is the only token that may follow.
    const mayEnd = expected === 'comma-or-end' || expected === 'value-or-end' || expected === 'name-or-end'
    if (!mayEnd || byte !== (isObject[depth] === 1 ? closeObject : closeList)) return syntax(at)
    depth--
    expected = depth === 0 ? 'nothing' : 'comma-or-end'
    at++
  }
  return expected === 'nothing' ? outline : syntax(body.length)
}
