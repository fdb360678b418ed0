import { type RequestMeta, trackingLimits } from '@tributary/contract'
import { partitionOf } from '../log/entries.ts'
import { type EventSlice, type SplitBody, splitInTurns } from './split.ts'

/** A request, or a part of one, that is to be appended to a partition of the log. */
export type RequestPart = { partition: number; meta: RequestMeta; body: Uint8Array }

/** Bytes of a body that are scanned before other work gets its turn. */
const turnBytes = 256 * 1024

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const commaByte = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

const isName = (body: Buffer, from: number, to: number, name: string): boolean => {
  if (to - from !== name.length) return false
  for (let at = 0; at < name.length; at++) if (body[from + at] !== name.charCodeAt(at)) return false
  return true
}

/**
 * Returns the text of a string or number from `from` to before `to`, as the processing reads an ID. Undefined for any
 * other value, and for an empty text.
 */
const idText = (body: Buffer, from: number, to: number): string | undefined => {
  const text = body.toString('utf8', from, to).trim()
  if (text[0] !== '"') return /^-?\d/.test(text) ? text : undefined
  if (text === '""') return undefined
  if (!text.includes('\\')) return text.slice(1, -1)
  try {
    return String(JSON.parse(text))
  } catch {
    // The string is invalid JSON, and its event will be rejected.
    return text
  }
}

/**
 * Returns the owner of an event: its user ID, else its anonymous ID; '' for an event that has neither, or is too large
 * to be accepted. Undefined unless the slice is exactly one object, so that a request can be cut in one way only.
 * Parsing the whole event would take four times as long.
 */
const ownerOf = (body: Buffer, { start, end }: EventSlice): string | undefined => {
  if (body[start] !== openBrace) return undefined
  if (end - start > trackingLimits.eventBytes)
    // If the body is incomplete, its last brace may not be the end of an object.
    return body[end - 1] === closeBrace && (body[end] === commaByte || body[end] === closeBracket) ? '' : undefined
  let user: string | undefined
  let device: string | undefined
  let depth = 0
  let isNaming = true
  let nameFrom = 0
  let nameTo = 0
  let valueFrom = 0
  for (let at = start; at < end; at++) {
    const byte = body[at] as number
    if (byte === quote) {
      const from = ++at
      while (at < end && body[at] !== quote) at += body[at] === backslash ? 2 : 1
      if (at >= end) return undefined
      if (depth === 1 && isNaming) {
        nameFrom = from
        nameTo = at
      }
    } else if (byte === openBrace || byte === openBracket) depth++
    else if (depth === 1 && byte === colon && isNaming) {
      isNaming = false
      valueFrom = at + 1
    } else if (byte === closeBrace || byte === closeBracket || (byte === commaByte && depth === 1)) {
      if (depth === 1 && !isNaming) {
        if (isName(body, nameFrom, nameTo, 'userId')) user = idText(body, valueFrom, at)
        else if (isName(body, nameFrom, nameTo, 'anonymousId')) device = idText(body, valueFrom, at)
        isNaming = true
      }
      if (byte !== commaByte && --depth === 0) return at === end - 1 ? (user ?? device ?? '') : undefined
    }
  }
  return undefined
}

const comma = Buffer.from(',')

/**
 * Returns a body with some events of another body, each as it was written, and the values that apply to all of them.
 */
const bodyOf = (body: Buffer, { context, integrations, sentAt }: SplitBody, events: readonly EventSlice[]): Buffer => {
  const pieces: Buffer[] = [Buffer.from('{"batch":[')]
  for (const [at, { start, end }] of events.entries()) {
    if (at > 0) pieces.push(comma)
    pieces.push(body.subarray(start, end))
  }
  pieces.push(Buffer.from(']'))
  for (const [name, slice] of Object.entries({ context, integrations, sentAt }))
    if (slice !== undefined) pieces.push(Buffer.from(`,"${name}":`), body.subarray(slice.start, slice.end))
  pieces.push(Buffer.from('}'))
  return Buffer.concat(pieces)
}

/** Returns the meta of a part. `places` are the indexes of its events in the whole request. */
const metaOf = (meta: RequestMeta, part: number, places: readonly number[]): RequestMeta => ({
  ...meta,
  ...(meta.p === undefined ? {} : { p: places.map((place) => meta.p?.[place] ?? '') }),
  // Events without a message ID are identified by their set-aside request and its part.
  ...(meta.b === undefined ? {} : { b: `${meta.b}/${part}` }),
})

/**
 * Cuts a request of a workspace that is spread over several partitions into parts: each event goes to the partition of
 * its user, in the order of the request. Events stay unchanged, byte for byte, and the same request is always cut in
 * the same way. A request whose events all go to one partition is not copied. The first partition gets the whole
 * request if it has too many events, an element that is not an event, or more shared data than an event may have.
 * Yields between pieces of a large body, so that other work gets its turn.
 */
export function* cutRequest(
  meta: RequestMeta,
  bytes: Uint8Array,
  partitions: readonly number[],
): Generator<void, RequestPart[]> {
  const first = partitions[0] ?? 0
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = yield* splitInTurns(body, meta.k, turnBytes)
  const whole = (partition: number): RequestPart[] => [{ partition, meta, body: bytes }]
  if (parts.events.length > trackingLimits.batchEvents) return whole(first)
  // Each part repeats the shared values. If they were large, all parts together would be many times as large as the
  // body.
  const shared = [parts.context, parts.integrations, parts.sentAt].reduce(
    (sum, slice) => sum + (slice ? slice.end - slice.start : 0),
    0,
  )
  if (shared > trackingLimits.eventBytes) return whole(first)
  const placesOf = new Map<number, number[]>()
  let looked = 0
  for (const [place, event] of parts.events.entries()) {
    const owner = ownerOf(body, event)
    if (owner === undefined) return whole(first)
    const at = partitionOf(owner, partitions.length)
    const places = placesOf.get(at)
    if (places === undefined) placesOf.set(at, [place])
    else places.push(place)
    looked += event.end - event.start
    if (looked < turnBytes) continue
    looked = 0
    yield
  }
  const [only] = placesOf.keys()
  if (only === undefined || placesOf.size === 1) return whole(partitions[only ?? 0] ?? first)
  const cut: RequestPart[] = []
  for (const [at, places] of placesOf) {
    const events = places.flatMap((place) => parts.events[place] ?? [])
    cut.push({ partition: partitions[at] ?? first, meta: metaOf(meta, at, places), body: bodyOf(body, parts, events) })
    if (body.length >= turnBytes) yield
  }
  return cut
}
