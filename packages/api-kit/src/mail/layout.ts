/** The content of a mail. Every text is plain text, which is escaped in the HTML version. */
export type MailContent = {
  subject: string
  paragraphs: readonly string[]
  /** A one-time code, which is shown in large type. */
  code?: string
  /** The main action, as a button in HTML and as a URL in plain text. */
  action?: { label: string; url: string }
  /** Smaller text below the code and the button. */
  notes: readonly string[]
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for HTML, also for a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

/** Returns a text as one line: characters that could end a header line or hide text become spaces. */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()

/** Replaces each scheme of a possible address, such as `https:` before slashes, by a space. Takes linear time. */
const withoutSchemes = (text: string): string =>
  text
    .split(':')
    .map((part, index, parts) => {
      const next = parts[index + 1]
      if (next === undefined) return part
      if (!/^[/\\]{2}/.test(next)) return `${part}:`
      let start = part.length
      while (start > 0 && /[a-z0-9+.-]/iu.test(part.charAt(start - 1))) start -= 1
      const from = Math.max(0, start - 1)
      // A scheme starts with a letter at the start of a word.
      const scheme = part.slice(from).search(/\b[a-z]/iu)
      return scheme < 0 ? `${part}:` : `${part.slice(0, from + scheme)} `
    })
    .join('')

/**
 * Returns a name that no mail program turns into a link: schemes are removed, and dots that could belong to a domain
 * become middle dots. An email address is unchanged.
 */
const unlinked = (text: string): string => {
  if (/^[^\s@:/\\]+@[^\s@:/\\]+$/.test(text)) return text
  return withoutSchemes(text)
    .replace(/\b(?:mailto|tel|sms|javascript|data):/giu, ' ')
    .replace(/[/\\]{2,}/g, ' ')
    .replace(/(?<=[\p{L}\p{N}-])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}-]{2})/gu, (dot, at: number, whole: string) =>
      /^.[\d]+(?![\p{L}\d.])/u.test(whole.slice(at)) ? dot : '·',
    )
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * Returns a name that a user chose as one line of at most 60 characters without links, so that users cannot put their
 * own content into mails to strangers.
 */
export const shortName = (text: string): string => {
  const characters = Array.from(unlinked(oneLine(text)))
  return characters.length <= 60 ? characters.join('') : `${characters.slice(0, 59).join('')}…`
}

const font = '-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif'

/**
 * The colors of the web application (`apps/web/src/ui/theme.css`), the only ones in mails. Light colors are set on each
 * element, because many programs ignore style sheets. Programs that use style sheets and show dark mail get the dark
 * colors.
 */
export const mailColours = {
  light: {
    accent: '#006b9c',
    accentText: '#006b9c',
    page: '#f8fafb',
    card: '#ffffff',
    line: '#e1e4e7',
    ink: '#161b22',
    quiet: '#474e56',
    code: '#f3f5f6',
  },
  dark: {
    accent: '#006b9c',
    accentText: '#7ac9ef',
    page: '#0e1013',
    card: '#14171b',
    line: '#272b31',
    ink: '#eef0f3',
    quiet: '#b5b9bf',
    code: '#21252a',
  },
} as const

const { light, dark } = mailColours

const darkStyles =
  `:root{color-scheme:light dark}@media (prefers-color-scheme:dark){.page{background:${dark.page}!important}` +
  `.card{background:${dark.card}!important;border-color:${dark.line}!important;color:${dark.ink}!important}` +
  `.name{color:${dark.accentText}!important}.quiet{color:${dark.quiet}!important}` +
  `.code{background:${dark.code}!important;color:${dark.ink}!important}}`

const html = ({ subject, paragraphs, code, action, notes }: MailContent): string => {
  const paragraph = (text: string): string => `<p style="margin:0 0 16px">${escapeHtml(text)}</p>`
  const quiet = (text: string, style = ''): string =>
    `<p class="quiet" style="margin:0 0 16px;font-size:13px;color:${light.quiet};${style}">${escapeHtml(text)}</p>`
  const shownCode =
    code === undefined
      ? ''
      : `<p class="code" style="margin:8px 0 24px;padding:16px;border-radius:8px;background:${light.code};color:${light.ink};` +
        `font:600 22px/1.2 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:1px;text-align:center">${escapeHtml(code)}</p>`
  const button =
    action === undefined
      ? ''
      : `<p style="margin:8px 0 24px"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;` +
        `border-radius:8px;background:${light.accent};color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p>` +
        quiet(action.url, 'word-break:break-all')
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">` +
    `<title>${escapeHtml(subject)}</title><style>${darkStyles}</style></head>` +
    `<body class="page" style="margin:0;background:${light.page}"><div style="max-width:520px;margin:0 auto;padding:32px 16px">` +
    `<p class="name" style="margin:0 0 16px;font:600 18px ${font};color:${light.accentText}">Tributary</p>` +
    `<div class="card" style="padding:24px;border:1px solid ${light.line};border-radius:12px;background:${light.card};color:${light.ink};font:15px/1.5 ${font}">` +
    `<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(subject)}</h1>` +
    paragraphs.map(paragraph).join('') +
    shownCode +
    button +
    notes.map((text) => quiet(text)).join('') +
    `</div></div></body></html>`
  )
}

const text = ({ paragraphs, code, action, notes }: MailContent): string =>
  [
    ...paragraphs,
    ...(code === undefined ? [] : [`    ${code}`]),
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    ...notes,
    '-- \nTributary',
  ].join('\n\n')

/** Returns the common layout of every mail, as plain text and as HTML. */
export const layOut = (content: MailContent): { subject: string; text: string; html: string } => {
  const clean: MailContent = { ...content, subject: oneLine(content.subject) }
  return { subject: clean.subject, text: text(clean), html: html(clean) }
}
