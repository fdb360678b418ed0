import type { IncomingMessage, ServerResponse } from 'node:http'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Number of requests that begin in one round of the event loop. */
const atOnce = 8
/** Maximum number of requests that wait for a later round: more than all open pages would send at a time. */
const maxWaiting = 4096

/**
 * Wraps a handler so that only a few requests begin in each round of the event loop. The others begin in later rounds,
 * in their order. Even cheap requests would delay other work of the thread if hundreds began in one round. While 4,096
 * wait, further ones begin immediately: no request is refused, and the queue is bounded. A request whose client has
 * disconnected is dropped.
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
