import {
  type HttpAnswer,
  hideSecrets,
  type OutgoingRequest,
  type RequestClient,
  type Settings,
} from '@tributary/connector-kit'
import { hiddenHeadersOf, hiddenTextsOf, tokensIn } from '@tributary/connector-kit/own-connector'
import { ownConnectorLimits, type TriedCall } from '@tributary/contract'
import { cutText } from '@tributary/kernel'
import type { ReadOwn } from './affected.ts'

const hidden = '[redacted]'
/** Maximum requests that a trial shows. */
const maxCalls = 20

type Recorded = { request: OutgoingRequest; answer: HttpAnswer | undefined; reason: string; latencyMs: number }

const textOf = (body: OutgoingRequest['body']): string =>
  body === undefined ? '' : typeof body === 'string' ? body : `(${body.byteLength} bytes)`

/** Records the requests of a trial with their answers, and shows them without secrets. */
export const createTrialCalls = (client: Pick<RequestClient, 'request' | 'connect'>) => {
  const calls: Recorded[] = []
  return {
    client: {
      connect: client.connect,
      request: async (request: OutgoingRequest): Promise<HttpAnswer> => {
        const began = performance.now()
        const since = (): number => Math.round(performance.now() - began)
        try {
          const answer = await client.request(request)
          calls.push({ request, answer, reason: '', latencyMs: since() })
          return answer
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error)
          calls.push({ request, answer: undefined, reason, latencyMs: since() })
          throw error
        }
      },
    },
    /** Returns a function that hides the secrets of the trial in a text. */
    hider({ described }: ReadOwn, settings: readonly Settings[]): (text: string) => string {
      const texts = [
        ...settings.flatMap((each) => hiddenTextsOf(described, each)),
        ...calls.flatMap(({ request, answer }) => tokensIn(request, answer)),
      ].toSorted((a, b) => b.length - a.length)
      return (text) => hideSecrets(text, texts)
    },
    /** Returns the recorded requests in the form of the API. */
    shown({ described }: ReadOwn, hide: (text: string) => string): TriedCall[] {
      const names = hiddenHeadersOf(described)
      const headers = (given: Readonly<Record<string, string>>) =>
        Object.entries(given).map(([name, value]) => ({
          name,
          value: names.has(name.toLowerCase()) ? hidden : hide(value),
        }))
      return calls.slice(0, maxCalls).map(({ request, answer, reason, latencyMs }) => {
        const body = answer === undefined ? '' : hide(answer.body)
        const most = ownConnectorLimits.answerBytes
        return {
          request: {
            method: request.method,
            url: hide(request.url),
            headers: headers(request.headers),
            body: hide(textOf(request.body)),
          },
          response:
            answer === undefined
              ? null
              : {
                  status: answer.status,
                  headers: headers(answer.headers),
                  body: cutText(body, most),
                  is_cut: body.length > most,
                },
          reason: hide(reason),
          latency_ms: latencyMs,
        }
      })
    },
  }
}
