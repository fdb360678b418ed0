import type { IncomingMessage, ServerResponse } from 'node:http'

const path = '/domains/ask'

/** Characters of a name of DNS at most, and those it is made of: everything else is nobody's, without a look. */
const maxName = 253
const isName = /^[a-z0-9.-]+$/

/**
 * Tells a reverse proxy whether it may have a certificate for a domain, from memory: 200 for a custom domain whose records were
 * found, 404 for every other name, so that nobody makes it ask an authority for names of theirs. It is answered before anybody says who they
 * are: a question costs one look into a map, whatever it asks.
 */
export const createDomainQuestions = ({
  mayHaveCertificate,
}: {
  mayHaveCertificate(domain: string): boolean
}): { handles(path: string): boolean; handle(request: IncomingMessage, response: ServerResponse): void } => ({
  handles: (asked) => asked === path,
  handle({ method, url = '' }, response) {
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
    const [, query = ''] = url.split('?', 2)
    const domain = (new URLSearchParams(query.slice(0, 1000)).get('domain') ?? '').toLowerCase()
    const known = domain.length <= maxName && isName.test(domain) && mayHaveCertificate(domain)
    answer(known ? 200 : 404, known ? 'This is a custom domain.\n' : 'This is not a custom domain.\n')
  },
})
