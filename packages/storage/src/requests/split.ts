import { trackingLimits } from '@tributary/contract'
import { isExactNumber } from '@tributary/kernel'

/** A piece of a body: bytes from `start` to before `end`, and how deep its arrays and objects nest. */
export type Slice = { readonly start: number; readonly end: number; readonly depth: number }

/** A piece of an event's text, from `from` to before `to`, counted from the beginning of the event. */
export type Span = { readonly from: number; readonly to: number }

/**
 * A slice that is an event. `context` is the position of that object in the event, if its text can be used unchanged.
 * For that, the event has no escapes, no whitespace between tokens, and only one `context`. (The caller checks whether
 * all characters are ASCII.) `lossy` is true if JSON.parse and JSON.stringify together would change a number or the
 * order of names in the event.
 */
export type EventSlice = Slice & { readonly context: Span | undefined; readonly lossy: boolean }

/** The events of a body, and the values beside `batch` that apply to all of them. */
export type SplitBody = {
  readonly events: readonly EventSlice[]
  readonly context: Slice | undefined
  readonly integrations: Slice | undefined
  readonly sentAt: Slice | undefined
}

/**
 * Maximum number of separate slices of one body. All further elements are in one slice with the last one, so that a
 * body of a million tiny values does not need a million objects. The maximum is far above the number of events that a
 * batch may have.
 */
export const maxSlices = 10_000

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const plus = 0x2b
const minus = 0x2d
const dot = 0x2e
const zero = 0x30
const nine = 0x39
const openBrace = 0x7b
const closeBrace = 0x7d

const contextName = 'context'

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const skipSpace = (body: Uint8Array, from: number): number => {
  let at = from
  while (isSpace(body[at])) at++
  return at
}

/** Returns the position after the closing quote of the string that opens at `from`, or the end of the body. */
const skipString = (body: Uint8Array, from: number): number => {
  const end = body.length
  let at = from + 1
  while (at < end) {
    const byte = body[at]
    if (byte === quote) return at + 1
    at += byte === backslash ? 2 : 1
  }
  return end
}

/** The number of bytes to scan before other work gets its turn, and the position where this turn ends. */
type Turn = { readonly bytes: number; end: number }

/** The state of the search for the end of a value. */
type Search = { at: number; depth: number; deepest: number; inString: boolean }

/**
 * Continues a search up to `stop`, or one byte further. Returns true if it has found the end of the value, which may be
 * the end of the body.
 */
const searchEnd = (body: Uint8Array, search: Search, stop: number): boolean => {
  const end = stop < body.length ? stop : body.length
  let { at, depth, deepest, inString } = search
  let isFound = false
  while (at < end) {
    if (inString) {
      while (at < end && body[at] !== quote) at += body[at] === backslash ? 2 : 1
      if (at >= end) break
      inString = false
    } else {
      const byte = body[at] as number
      if (byte === quote) inString = true
      else if (byte === openBrace || byte === openBracket) {
        if (++depth > deepest) deepest = depth
      } else if (byte === closeBrace || byte === closeBracket) {
        isFound = depth === 0
        depth--
      } else isFound = byte === comma && depth === 0
      if (isFound) break
    }
    at++
  }
  search.at = at
  search.depth = depth
  search.deepest = deepest
  search.inString = inString
  return isFound || at >= body.length
}

/**
 * Returns the value that begins at `from`: up to the comma or closing bracket that ends it on its own level, without
 * whitespace before that. The scan sees only strings and brackets, so a broken value ends where a valid one would.
 * Returns undefined if the end is not found before `stop`; `search` then has the state to continue from.
 */
const sliceValue = (body: Uint8Array, from: number, search: Search, stop: number): Slice | undefined => {
  if (!searchEnd(body, search, stop)) return undefined
  let last = Math.min(search.at, body.length)
  while (last > from && isSpace(body[last - 1])) last--
  return { start: from, end: last, depth: search.deepest }
}

/** Returns the same as `sliceValue`, over several turns. */
function* sliceLargeValue(body: Uint8Array, from: number, search: Search, turn: Turn): Generator<void, Slice> {
  for (;;) {
    const value = sliceValue(body, from, search, turn.end)
    if (value !== undefined) return value
    turn.end = search.at + turn.bytes
    yield
  }
}

const searchFrom = (at: number): Search => ({ at, depth: 0, deepest: 0, inString: false })

/**
 * Whether reading the number from `from` to before `to` as a double would change it. For nearly all numbers, their form
 * decides.
 */
const isLossyNumber = (body: Buffer, from: number, to: number, exponent: boolean, fraction: boolean): boolean => {
  const length = to - from
  const endsInZero = body[to - 1] === zero
  const suspect = exponent || length > 15 || (fraction && (endsInZero || length > 8)) || (length === 2 && endsInZero)
  return suspect && !isExactNumber(body.toString('latin1', from, to))
}

/**
 * Whether the string from `from` to before `to` may be a name that JSON.parse moves to the front: digits, possibly
 * escaped.
 */
const isMovedName = (body: Buffer, from: number, to: number): boolean => {
  const first = body[from] as number
  if (first !== backslash && (first < zero || first > nine || to - from > 10)) return false
  return body[skipSpace(body, to + 1)] === colon
}

const isContext = (body: Uint8Array, from: number, to: number): boolean => {
  if (to - from !== contextName.length) return false
  for (let at = 0; at < contextName.length; at++) if (body[from + at] !== contextName.charCodeAt(at)) return false
  return true
}

/**
 * Returns the event that begins at `from`, if it ends within the bytes that an event may have. Its end is that of
 * `sliceValue`. The scan is separate, because only events need a check of numbers, and of the names on the first level.
 */
const sliceEvent = (body: Buffer, from: number): EventSlice | undefined => {
  const end = body.length
  const stop = Math.min(end, from + trackingLimits.eventBytes + 1)
  let plain = body[from] === openBrace
  let lossy = false
  let depth = 0
  let deepest = 0
  let at = from
  /** Whether the next string on the first level is a name. */
  let naming = true
  /** Whether the current value on the first level is the context. */
  let inContext = false
  let contexts = 0
  let contextFrom = -1
  let contextTo = -1
  while (at < stop) {
    const byte = body[at] as number
    if (byte === quote) {
      const text = ++at
      while (at < stop && body[at] !== quote) {
        if (body[at] === backslash) {
          plain = false
          at++
        }
        at++
      }
      if (isMovedName(body, text, at)) lossy = true
      if (depth === 1 && naming) {
        naming = false
        inContext = isContext(body, text, at)
        if (inContext) contexts++
      }
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > deepest) deepest = depth
      if (inContext && depth === 2 && byte === openBrace) contextFrom = at - from
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) break
      if (--depth === 1 && inContext && byte === closeBrace) contextTo = at + 1 - from
    } else if (byte === comma) {
      if (depth === 0) break
      if (depth === 1) {
        naming = true
        inContext = false
      }
    } else if (byte <= nine) {
      if (byte >= zero || byte === minus) {
        const number = at
        let exponent = false
        let fraction = false
        while (at < stop) {
          const next = body[at + 1] as number
          if (next === dot) fraction = true
          else if (next === 0x45 || next === 0x65) exponent = true
          else if (!(next >= zero && next <= nine) && !(exponent && (next === minus || next === plus))) break
          at++
        }
        if (!lossy && isLossyNumber(body, number, at + 1, exponent, fraction)) lossy = true
      } else if (byte <= 0x20 && depth > 0) plain = false
    }
    at++
  }
  if (at >= stop && stop < end) return undefined
  if (at > end) at = end
  let last = at
  while (last > from && isSpace(body[last - 1])) last--
  const known = plain && depth === 0 && contexts === 1 && contextFrom >= 0
  const context = known ? { from: contextFrom, to: contextTo } : undefined
  return { start: from, end: last, depth: deepest, context, lossy }
}

/** Returns an event that is too large to be accepted: only its end matters. */
function* sliceLargeEvent(body: Buffer, from: number, turn: Turn): Generator<void, EventSlice> {
  return { ...(yield* sliceLargeValue(body, from, searchFrom(from), turn)), context: undefined, lossy: true }
}

/**
 * Adds the elements of the array whose first element begins at `from`. Returns the position after the array's bracket.
 */
function* splitArray(body: Buffer, from: number, into: EventSlice[], turn: Turn): Generator<void, number> {
  let at = from
  for (;;) {
    if (at >= turn.end) {
      turn.end = at + turn.bytes
      yield
    }
    at = skipSpace(body, at)
    if (at >= body.length) return at
    const element = sliceEvent(body, at) ?? (yield* sliceLargeEvent(body, at, turn))
    if (element.end > element.start) {
      const last = into[maxSlices - 1]
      const depth = Math.max(last?.depth ?? 0, element.depth)
      if (last === undefined) into.push(element)
      else into[maxSlices - 1] = { start: last.start, end: element.end, depth, context: undefined, lossy: false }
    }
    at = skipSpace(body, element.end)
    if (body[at] === closeBracket) return at + 1
    at++
  }
}

const keyText = (body: Buffer, start: number, end: number): string => {
  const text = body.toString('utf8', start + 1, end - 1)
  if (!text.includes('\\')) return text
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}

function* splitBatchBy(bytes: Uint8Array, turn: Turn): Generator<void, SplitBody> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const events: EventSlice[] = []
  let context: Slice | undefined
  let integrations: Slice | undefined
  let sentAt: Slice | undefined
  let found = false
  const begin = skipMark(body)
  let at = skipSpace(body, begin)
  if (body[at] === openBracket) {
    yield* splitArray(body, at + 1, events, turn)
    return { events, context, integrations, sentAt }
  }
  if (body[at] !== openBrace) return yield* splitSingleBy(bytes, turn)
  at++
  for (;;) {
    if (at >= turn.end) {
      turn.end = at + turn.bytes
      yield
    }
    at = skipSpace(body, at)
    if (body[at] !== quote) break
    const keyEnd = skipString(body, at)
    const key = keyText(body, at, keyEnd)
    at = skipSpace(body, keyEnd)
    if (body[at] !== colon) break
    at = skipSpace(body, at + 1)
    if (key === 'batch' && body[at] === openBracket) {
      found = true
      at = yield* splitArray(body, at + 1, events, turn)
    } else {
      const search = searchFrom(at)
      const value = sliceValue(body, at, search, turn.end) ?? (yield* sliceLargeValue(body, at, search, turn))
      if (key === 'context') context = value
      else if (key === 'integrations') integrations = value
      else if (key === 'sentAt') sentAt = value
      at = value.end
    }
    at = skipSpace(body, at)
    if (body[at] !== comma) break
    at++
  }
  if (found) return { events, context, integrations, sentAt }
  turn.end = 0
  return yield* splitSingleBy(bytes, turn)
}

function* splitSingleBy(bytes: Uint8Array, turn: Turn): Generator<void, SplitBody> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = skipSpace(body, skipMark(body))
  const slice = sliceEvent(body, start) ?? (yield* sliceLargeEvent(body, start, turn))
  const whole = skipSpace(body, slice.end) >= body.length
  const event = whole ? slice : { ...slice, end: body.length, context: undefined }
  return {
    events: event.end > event.start ? [event] : [],
    context: undefined,
    integrations: undefined,
    sentAt: undefined,
  }
}

const atOnce = (splitting: Generator<void, SplitBody>): SplitBody => {
  for (;;) {
    const next = splitting.next()
    if (next.done === true) return next.value
  }
}

const wholeTurn = (): Turn => ({ bytes: Number.MAX_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER })

/**
 * Finds the events of a batch body as slices, by scanning its bytes for strings and brackets, without parsing. So each
 * event can be kept byte for byte and parsed alone, and a broken event does not affect the others. Every `batch` list
 * on the top level counts. A body without a list is a single slice; parsing decides what it is.
 */
export const splitBatch = (bytes: Uint8Array): SplitBody => atOnce(splitBatchBy(bytes, wholeTurn()))

/** Returns the whole body as one event, without surrounding whitespace. */
export const splitSingle = (bytes: Uint8Array): SplitBody => atOnce(splitSingleBy(bytes, wholeTurn()))

/**
 * Splits a body like `splitBatch` or `splitSingle`, and yields after about `turnBytes` bytes, so that other work gets
 * its turn.
 */
export const splitInTurns = (
  bytes: Uint8Array,
  kind: 'batch' | 'single',
  turnBytes: number,
): Generator<void, SplitBody> =>
  (kind === 'batch' ? splitBatchBy : splitSingleBy)(bytes, { bytes: turnBytes, end: turnBytes })

/** Returns the position after a byte order mark, which some clients send. */
const skipMark = (body: Uint8Array): number => (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0)
