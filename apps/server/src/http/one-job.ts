import type { IncomingMessage, ServerResponse } from 'node:http'

/** Handlers of a process with a single role. Requests for other roles get 404 with a reason. */
export const answersOfOneJob = (refusal: { reason: string; message: string }) => {
  const body = JSON.stringify({ code: 404, ...refusal, metadata: {} })
  const notHere = (_request: IncomingMessage, response: ServerResponse): void => {
    response
      .writeHead(404, { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff' })
      .end(body)
  }
  return {
    realtime: undefined,
    flags: undefined,
    profileApi: undefined,
    syncApi: undefined,
    devOutbox: undefined,
    paymentWebhook: undefined,
    media: undefined,
    guides: undefined,
    api: notHere,
    nothing: notHere,
    web: notHere,
  }
}
