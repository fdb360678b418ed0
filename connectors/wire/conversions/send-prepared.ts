import { type DeliverResult, type EventOutcome, mapInPieces, type SplitOutcome } from '@tributary/connector-kit'

/**
 * The outcomes of a request's conversions (one for all, or one per conversion in order), and the request and response.
 */
export type Sent = Omit<DeliverResult, 'outcomes'> & {
  outcomes: EventOutcome | SplitOutcome | readonly EventOutcome[]
}

/** An event or a row ready to be sent, and what was left out of it, for users. */
export type Prepared<Body> = { body: Body; note?: string | undefined }

/**
 * Sends the prepared events or rows of a batch together, and returns the outcomes of all events. An event that is not
 * sent has the reason, and a delivered event the note. If there is no event to send, no request is made. Large batches
 * are prepared in pieces, and other destinations send between them.
 */
export const sendPrepared = async <Item, Body>(
  batch: readonly Item[],
  prepare: (item: Item) => Prepared<Body> | EventOutcome,
  send: (bodies: readonly Body[]) => Promise<Sent>,
): Promise<DeliverResult> => {
  const prepared = await mapInPieces(batch, prepare)
  const bodies = prepared.flatMap((each) => ('body' in each ? [each.body] : []))
  if (bodies.length === 0)
    return { outcomes: prepared.flatMap((each) => ('body' in each ? [] : [each])), httpStatus: 0, latencyMs: 0 }
  const { outcomes: found, ...result } = await send(bodies)
  // A split is returned unchanged. In each half of the batch, the same events are again not sent.
  if ('kind' in found && found.kind === 'split' && bodies.length > 1) return { outcomes: found, ...result }
  let next = 0
  const outcomes = prepared.map((each): EventOutcome => {
    if (!('body' in each)) return each
    const one = 'kind' in found ? found : found[next++]
    if (one === undefined || one.kind === 'split')
      return { kind: 'rejected', reason: one?.reason ?? 'The response says nothing of it' }
    return one.kind === 'delivered' && each.note !== undefined ? { note: each.note, ...one } : one
  })
  return { outcomes, ...result }
}
