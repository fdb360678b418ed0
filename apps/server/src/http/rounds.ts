import type { IncomingMessage, ServerResponse } from 'node:http'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Requests that begin in one round of the event loop. */
const atOnce = 8
/** Maximum requests that wait for a later round: more than all open pages would send at a time. */
const maxWaiting = 4096

/**
 * Wraps a handler so that few requests begin in each round of the event loop, and the others, in their order, in later
 * rounds. However cheap a request is, hundreds in one round would delay other work of the thread. While 4,096 wait,
 * further ones begin immediately: no request is refused, and the queue is bounded. A request whose client has left is
 * dropped.
 */
export const createRounds = (handle: Handler): Handler => {
  const waiting: [IncomingMessage, ServerResponse][] = []
  let begun = 0
  let next: NodeJS.Immediate | undefined

  const round = (): void => {
    const turn = waiting.splice(0, atOnce)
    begun = turn.length
    next = begun === 0 ? undefined : setImmediate(round)
    for (const [request, response] of turn) if (!response.destroyed) handle(request, response)
  }

  return (request, response) => {
    if (begun >= atOnce && waiting.length < maxWaiting) return void waiting.push([request, response])
    begun++
    next ??= setImmediate(round)
    handle(request, response)
  }
}
