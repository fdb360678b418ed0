import type { IncomingMessage, ServerResponse } from 'node:http'
import { escapeHtml } from '@tributary/api-kit'
import type { TokenCheck } from '../secrets/metrics-token.ts'
import type { KeptMail, OutboxFolder } from './outbox-folder.ts'

const shown = 100

/** Plain text with its URLs as links. */
const linked = (text: string): string =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) =>
      index % 2 === 1 ? `<a href="${escapeHtml(part)}">${escapeHtml(part)}</a>` : escapeHtml(part),
    )
    .join('')

const article = (mail: KeptMail, open: boolean): string =>
  `<details${open ? ' open' : ''}><summary><b>${escapeHtml(mail.subject)}</b><span>to ${escapeHtml(mail.recipient)}</span>` +
  `<time datetime="${escapeHtml(mail.time)}">${escapeHtml(mail.time.replace('T', ' ').slice(0, 19))} UTC</time></summary>` +
  `<div><pre>${linked(mail.text)}</pre>` +
  // The frame can run no scripts and read nothing; its links open in a new tab.
  `<iframe title="HTML of ${escapeHtml(mail.subject)}" sandbox="allow-popups allow-popups-to-escape-sandbox" ` +
  `srcdoc="${escapeHtml(mail.html.replace('<head>', '<head><base target="_blank">'))}"></iframe></div></details>`

const page = (mails: readonly KeptMail[]): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>Outbox</title><style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 0 auto; padding: 2rem 1rem }
details { border: 1px solid light-dark(#ddd, #444); border-radius: 8px; margin: 0 0 .75rem }
summary { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .75rem 1rem; cursor: pointer }
time { margin-left: auto; color: light-dark(#666, #aaa) }
details > div { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); padding: 0 1rem 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font-size: 13px }
iframe { width: 100%; height: 38rem; border: 1px solid light-dark(#ddd, #444); border-radius: 8px; background: #fff }
</style></head><body><h1>Outbox</h1>
<p>Mail of this development server. It is written here instead of being sent, because SMTP_URL is not set.</p>
${mails.length === 0 ? '<p>No mail yet. Ask for a one-time passcode or invite somebody, then reload this page.</p>' : mails.map((mail, index) => article(mail, index === 0)).join('\n')}
</body></html>`

/** Serves the page `/dev/outbox` of a development server: the newest mails, for requests with the token. */
export const createDevOutbox = (outbox: Pick<OutboxFolder, 'newest'>, mayRead: TokenCheck) => ({
  handles: (path: string): boolean => path === '/dev/outbox',
  handle(request: IncomingMessage, response: ServerResponse): void {
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      // The page's URL may contain the token.
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    }
    if (!mayRead(request)) {
      response.writeHead(401, headers).end('The outbox is shown at the address that the server prints when it starts.')
      return
    }
    outbox.newest(shown).then(
      (mails) => response.writeHead(200, headers).end(page(mails)),
      () => response.writeHead(500, headers).end('The outbox cannot be read.'),
    )
  },
})
