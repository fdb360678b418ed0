import type { IncomingMessage, ServerResponse } from 'node:http'
import { createTokenCheck } from '../secrets/metrics-token.ts'
import { createIsFromProxy } from './client-ip.ts'

const path = '/domains/ask'

const refusal =
  'Only a trusted proxy can ask this. Set TRIBUTARY_TRUSTED_PROXIES, or TRIBUTARY_DOMAINS_TOKEN and ask with ?token=.\n'

/** Maximum characters of a DNS name, and its allowed characters: any other name is rejected without a lookup. */
const maxName = 253
const isName = /^[a-z0-9.-]+$/

/**
 * Decides, from memory, whether a reverse proxy may get a certificate for a domain: 200 for a custom domain whose
 * records were found, 404 for any other name. So no client can make the proxy request certificates for other names.
 * Unauthorized callers get 403 for every name, because the list of an installation's domains is private.
 */
export const createDomainQuestions = ({
  mayHaveCertificate,
  mayAsk,
}: {
  mayHaveCertificate(domain: string): boolean
  /** Whether the request comes from a trusted proxy, or has the token in its URL. */
  mayAsk(request: IncomingMessage): boolean
}): { handles(path: string): boolean; handle(request: IncomingMessage, response: ServerResponse): void } => ({
  handles: (asked) => asked === path,
  handle(request, response) {
    const { method, url = '' } = request
    const answer = (status: number, text: string, more: Record<string, string> = {}): void => {
      const headers = {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        ...more,
      }
      response.writeHead(status, headers).end(text)
    }
    if (method !== 'GET' && method !== 'HEAD') return answer(405, 'Use GET.\n', { allow: 'GET, HEAD' })
    if (!mayAsk(request)) return answer(403, refusal)
    const [, query = ''] = url.split('?', 2)
    const domain = (new URLSearchParams(query.slice(0, 1000)).get('domain') ?? '').toLowerCase()
    const known = domain.length <= maxName && isName.test(domain) && mayHaveCertificate(domain)
    answer(known ? 200 : 404, known ? 'This is a custom domain.\n' : 'This is not a custom domain.\n')
  },
})

/** Authorizes callers of the domain check: the trusted proxies themselves, and callers with the token in the URL. */
export const createMayAskDomains = ({
  trustedProxies,
  domainsToken,
}: {
  trustedProxies: readonly string[]
  domainsToken: string | undefined
}): ((request: IncomingMessage) => boolean) => {
  const isFromProxy = createIsFromProxy(trustedProxies)
  const hasToken = domainsToken === undefined ? () => false : createTokenCheck(domainsToken, { inAddress: true })
  return (request) => isFromProxy(request) || hasToken(request)
}
