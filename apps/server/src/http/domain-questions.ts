import type { IncomingMessage, ServerResponse } from 'node:http'

const path = '/domains/ask'

/**
 * Tells a reverse proxy whether it may have a certificate for a domain, from memory: 200 for a custom domain whose records were
 * found, 404 for every other name, so that nobody makes it ask an authority for names of theirs.
 */
export const createDomainQuestions = ({
  mayHaveCertificate,
}: {
  mayHaveCertificate(domain: string): boolean
}): { handles(path: string): boolean; handle(request: IncomingMessage, response: ServerResponse): void } => ({
  handles: (asked) => asked === path,
  handle(request, response) {
    const query = (request.url ?? '').split('?')[1] ?? ''
    const domain = new URLSearchParams(query.slice(0, 1000)).get('domain') ?? ''
    const known = mayHaveCertificate(domain.toLowerCase())
    response
      .writeHead(known ? 200 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      .end(known ? 'This is a custom domain.\n' : 'This is not a custom domain.\n')
  },
})
