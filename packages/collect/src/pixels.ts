import type { IncomingMessage } from 'node:http'
import { sendPixel } from './answer.ts'
import { bodyKey, outerKey } from './credentials.ts'
import type { Asked, Desk } from './desk.ts'
import { checkSingle } from './judge.ts'
import { dataPixel, type PixelEvent, queryPixel } from './pixel-event.ts'
import type { WriteKeyDirectory, WriteKeyEntry } from './ports.ts'
import type { Refusal } from './refusal.ts'
import * as refusals from './refusal.ts'
import type { PixelRoute } from './routes.ts'

/**
 * Events in the address of a picture. The answer is always the picture. It is never asked for a second time, so even
 * what our own overload refuses is counted as lost.
 */
export const createPixels = (desk: Desk, keys: WriteKeyDirectory): ((asked: Asked, route: PixelRoute) => void) => {
  const judge = (
    read: PixelEvent | { refusal: Refusal },
    route: PixelRoute,
    key: string | undefined,
    entry: WriteKeyEntry | undefined,
  ): Refusal | { entry: WriteKeyEntry; body: Buffer } => {
    const unfit = desk.shed()
    if (unfit !== undefined) return unfit
    if ('refusal' in read) return read.refusal
    if (key === undefined) return refusals.missingKey
    if (entry === undefined) return keys.findRevoked(key) === undefined ? refusals.unknownKey : refusals.revokedKey
    const closed = desk.closedTo(entry, false)
    if (closed !== undefined) return closed
    const wrong = checkSingle(read.value, read.body.length, route.type, desk.settings.eventBytes)
    return wrong ?? { entry, body: read.body }
  }
  const lost = (
    req: IncomingMessage,
    refusal: Refusal,
    entry: WriteKeyEntry | undefined,
    key: string | undefined,
  ): void => {
    desk.tally.answered('pixel', refusal.code)
    desk.countLost(refusal, req, entry, key)
  }

  return (asked, route) => {
    const { req, res, query } = asked
    if (req.method === 'HEAD') return sendPixel(req, res)
    const read = route.kind === 'data-pixel' ? dataPixel(query) : queryPixel(query, route.type)
    const key = outerKey(req.headers, query) ?? ('value' in read ? bodyKey(read.value) : undefined)
    const entry = key === undefined ? undefined : keys.find(key)
    const verdict = judge(read, route, key, entry)
    if ('code' in verdict) {
      lost(req, verdict, entry ?? (key === undefined ? undefined : keys.findRevoked(key)), key)
      return sendPixel(req, res)
    }
    const { entry: owner, body } = verdict
    desk.intake.append({ entry: owner, meta: desk.metaOf(req, owner, route), body }, (refusal) => {
      if (refusal === undefined) desk.taken('pixel', owner, body.length)
      else lost(req, refusal, owner, key)
      sendPixel(req, res)
    })
  }
}
