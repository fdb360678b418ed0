import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { escapeHtml } from '@tributary/control'
import { Marked, type Tokens } from 'marked'

/** The guides that come with the product: files of its folder `docs`, in the order of the list. */
const guides = {
  collection: ['Collection', 'Where events are sent, what they may be, and why others are refused.'],
  configuration: ['Configuration', 'Every setting of an installation.'],
  webhook: ['Webhook destination', 'What a webhook receives, how it is signed, and what an answer means.'],
  operations: ['Operations', 'Health, metrics, backup, retention, and what to do when.'],
} as const satisfies Record<string, readonly [title: string, about: string]>

const isGuide = (name: string): name is keyof typeof guides => Object.hasOwn(guides, name)

/** Where a link of a guide leads when it is served: to another guide or a part of it, out, or nowhere. */
const addressOf = (href: string): string | undefined => {
  if (/^(https?:\/\/|#)/.test(href)) return href
  const [file = '', part] = href.split('#')
  const name = /^(?:\.\/)?([a-z-]+)\.md$/.exec(file)?.[1] ?? ''
  return isGuide(name) ? `/docs/${name}${part === undefined ? '' : `#${part}`}` : undefined
}

const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading): string {
      return `<h${depth} id="${escapeHtml(anchorOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    link({ href, tokens }: Tokens.Link): string {
      const address = addressOf(href)
      const words = this.parser.parseInline(tokens)
      return address === undefined ? words : `<a href="${escapeHtml(address)}">${words}</a>`
    },
    // Code that is wider than a phone can be scrolled with the keyboard.
    code({ text }: Tokens.Code): string {
      return `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`
    },
    // A table that is wider than a phone scrolls by itself, not the page.
    table(token: Tokens.Table): string {
      const cells = (row: Tokens.TableCell[], tag: 'th' | 'td'): string =>
        `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
      const named = token.header.some(({ text }) => text !== '')
      const head = named ? `<thead>${cells(token.header, 'th')}</thead>` : ''
      const body = token.rows.map((row) => cells(row, 'td')).join('')
      return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`
    },
  },
})

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; color: light-dark(#1c1d21, #e6e7ea); background: light-dark(#fff, #16171a) }
body { max-width: 50rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: break-word }
a { color: light-dark(#1f4fd1, #8fb0ff) }
h1 { line-height: 1.2 } h2 { margin-top: 2.5rem }
code, pre { font: .875em/1.5 ui-monospace, monospace; background: light-dark(#f2f3f5, #24262b); border-radius: 4px }
code { padding: .1em .3em } pre { padding: .75rem 1rem; overflow-x: auto } pre code { padding: 0; font-size: 1em }
dt { margin-top: .75rem; font-weight: 600 } dd { margin: 0 }
.table { overflow-x: auto } table { border-collapse: collapse; font-size: .875rem }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid light-dark(#ddd, #3a3c42) }
`

const page = (title: string, body: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>${title} | Tributary</title><style>${style}</style></head>
<body>${body}</body></html>`

const index = (): string =>
  page(
    'Documentation',
    `<main><h1>Documentation</h1><dl>${Object.entries(guides)
      .map(([name, [title, about]]) => `<dt><a href="/docs/${name}">${title}</a></dt><dd>${about}</dd>`)
      .join('')}<dt><a href="/api/docs">API</a></dt><dd>Every call of the API, to read and to try.</dd></dl>
<p>How to point an SDK at a source is on the source's page, under <em>Set up</em>, with its write key filled in.</p></main>`,
  )

const guide = async (folder: string, name: keyof typeof guides): Promise<string> => {
  const text = await readFile(join(folder, `${name}.md`), 'utf8')
  return page(guides[name][0], `<nav><a href="/docs">Documentation</a></nav><main>${await markdown.parse(text)}</main>`)
}

/**
 * The pages `/docs` and `/docs/{guide}`: the guides of the folder as HTML, for everybody, since they come with the source
 * code. Nothing in them runs; links to files that are not served are only their words. Any other path below is a 404.
 */
export const createGuides = (folder: string) => ({
  handles: (path: string): boolean => path === '/docs' || path.startsWith('/docs/'),
  handle(request: IncomingMessage, response: ServerResponse): void {
    const send = (code: number, html: string): void => {
      response
        .writeHead(code, {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'content-security-policy':
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        })
        .end(request.method === 'HEAD' ? undefined : html)
    }
    const missing = (): void =>
      send(404, page('Not found', '<main><h1>Page not found</h1><p><a href="/docs">Documentation</a></p></main>'))
    const name = (request.url ?? '').split('?')[0]?.replace(/^\/docs\/?|\/$/g, '') ?? ''
    if (name === '') send(200, index())
    else if (isGuide(name)) guide(folder, name).then((html) => send(200, html), missing)
    else missing()
  },
})
