const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

/**
 * Headers of the page. With them, the page runs no script, sends no requests, and sends no referrer to the next site.
 */
export const onwardPageHeaders: readonly string[] = [
  'Content-Type',
  'text/html; charset=utf-8',
  'Content-Security-Policy',
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  'Referrer-Policy',
  'no-referrer',
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'no-store',
]

/**
 * Returns the page that a visitor sees after sending a form. It shows the host and the URL of the link, as browsers
 * parse them.
 */
export const onwardPage = (address: URL): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Form sent</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:36rem;padding:0 1rem;overflow-wrap:anywhere}</style>
</head>
<body>
<h1>Your form was sent</h1>
<p>The next page is on another website: <strong>${escaped(address.host)}</strong></p>
<p><a href="${escaped(address.href)}" rel="noreferrer">${escaped(address.href)}</a></p>
</body>
</html>
`
