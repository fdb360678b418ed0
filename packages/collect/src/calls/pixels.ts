import type { IncomingMessage } from 'node:http'
import { sendPixel } from '../answer.ts'
import { checkSingle } from '../body/body.ts'
import { bodyKey, outerKey } from '../caller.ts'
import type { CollectRequest, IngestionContext, PixelRoute } from '../ingestion-context.ts'
import type { WriteKeyCache, WriteKeyEntry } from '../ports.ts'
import type { Refusal } from '../refusal.ts'
import * as refusals from '../refusal.ts'
import { dataPixel, type PixelEvent, queryPixel } from './pixel-event.ts'

/**
 * Handles events that are sent as the URL of an image. The response is always the image. Browsers never retry an image,
 * so a rejection because of overload also counts as a loss.
 */
export const createPixels = (
  context: IngestionContext,
  keys: WriteKeyCache,
): ((request: CollectRequest, route: PixelRoute) => void) => {
  const validate = (
    read: PixelEvent | { refusal: Refusal },
    route: PixelRoute,
    key: string | undefined,
    entry: WriteKeyEntry | undefined,
  ): Refusal | { entry: WriteKeyEntry; body: Buffer } => {
    const unfit = context.checkAdmission()
    if (unfit !== undefined) return unfit
    if ('refusal' in read) return read.refusal
    if (key === undefined) return refusals.missingKey
    if (entry === undefined) return keys.findRevoked(key) === undefined ? refusals.unknownKey : refusals.revokedKey
    const closed = context.closedTo(entry, false)
    if (closed !== undefined) return closed
    const wrong = checkSingle(read.value, read.body.length, route.type, context.settings.eventBytes)
    return wrong ?? { entry, body: read.body }
  }
  const lost = (
    req: IncomingMessage,
    refusal: Refusal,
    entry: WriteKeyEntry | undefined,
    key: string | undefined,
  ): void => {
    context.metricsBuffer.answered('pixel', refusal.code)
    context.countLost(refusal, req, entry, key)
  }

  return (request, route) => {
    const { req, res, query } = request
    if (req.method === 'HEAD') return sendPixel(req, res)
    const read = route.kind === 'data-pixel' ? dataPixel(query) : queryPixel(query, route.type)
    const key = outerKey(req.headers, query) ?? ('value' in read ? bodyKey(read.value) : undefined)
    const entry = key === undefined ? undefined : keys.find(key)
    const result = validate(read, route, key, entry)
    if ('code' in result) {
      lost(req, result, entry ?? (key === undefined ? undefined : keys.findRevoked(key)), key)
      return sendPixel(req, res)
    }
    const { entry: owner, body } = result
    const foreign = context.foreignTo(req, owner)
    if (foreign !== undefined) {
      lost(req, foreign, owner, key)
      return sendPixel(req, res)
    }
    context.producer.appendNow({ entry: owner, meta: context.metaOf(req, owner, route), body }, (refusal) => {
      if (refusal === undefined) context.taken('pixel', owner, body.length)
      else lost(req, refusal, owner, key)
      sendPixel(req, res)
    })
  }
}
