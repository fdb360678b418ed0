import type { IncomingMessage, ServerResponse } from 'node:http'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Requests that begin in one round of the event loop. */
const atOnce = 8
/** Requests that wait for a later round: more than all pages that are open would ask for at a time. */
const mostWaiting = 4096

/**
 * A handler that begins few requests in each round of the event loop and the others, in their order, in the rounds behind it: however cheap
 * a request is, hundreds at once would keep what comes beside them waiting. While 4,096 wait, others begin at once: nobody is refused, and
 * what waits is bounded. Who has gone meanwhile costs nothing.
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
    if (begun >= atOnce && waiting.length < mostWaiting) return void waiting.push([request, response])
    begun++
    next ??= setImmediate(round)
    handle(request, response)
  }
}
