/** What a mail says; every text is plain and is escaped where it becomes HTML. */
export type MailContent = {
  subject: string
  paragraphs: readonly string[]
  /** A one-time code, shown large. */
  code?: string
  /** The one thing to do, as a button in HTML and as an address in plain text. */
  action?: { label: string; url: string }
  /** Smaller, below the code and the button. */
  notes: readonly string[]
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML that shows exactly it, also inside a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

/** Text as one line: whatever could end a header line or hide text becomes a space. */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()

/**
 * A name that no mail program makes a link of: schemes go, and dots before what could be the rest of a domain become
 * middle dots. An address of mail stays one.
 */
const unlinked = (text: string): string => {
  if (/^[^\s@:/\\]+@[^\s@:/\\]+$/.test(text)) return text
  return text
    .replace(/\b(?:[a-z][a-z0-9+.-]*:(?=[/\\]{2})|(?:mailto|tel|sms|javascript|data):)/giu, ' ')
    .replace(/[/\\]{2,}/g, ' ')
    .replace(/(?<=[\p{L}\p{N}-])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}-]{2})/gu, (dot, at: number, whole: string) =>
      /^.[\d]+(?![\p{L}\d.])/u.test(whole.slice(at)) ? dot : '·',
    )
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * A name that somebody chose, as one line of at most 60 characters that leads nowhere: what a stranger reads is not
 * theirs to fill.
 */
export const shortName = (text: string): string => {
  const characters = Array.from(unlinked(oneLine(text)))
  return characters.length <= 60 ? characters.join('') : `${characters.slice(0, 59).join('')}…`
}

const font = '-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif'

const html = ({ subject, paragraphs, code, action, notes }: MailContent): string => {
  const paragraph = (text: string, style: string): string =>
    `<p style="margin:0 0 16px;${style}">${escapeHtml(text)}</p>`
  const shownCode =
    code === undefined
      ? ''
      : `<p style="margin:8px 0 24px;padding:16px;border-radius:8px;background:#f4f4f5;color:#18181b;` +
        `font:600 22px/1.2 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:1px;text-align:center">${escapeHtml(code)}</p>`
  const button =
    action === undefined
      ? ''
      : `<p style="margin:8px 0 24px"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;` +
        `border-radius:8px;background:#0f766e;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p>` +
        `<p style="margin:0 0 16px;font-size:13px;color:#71717a;word-break:break-all">${escapeHtml(action.url)}</p>`
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light"><title>${escapeHtml(subject)}</title></head>` +
    `<body style="margin:0;background:#fafafa"><div style="max-width:520px;margin:0 auto;padding:32px 16px">` +
    `<p style="margin:0 0 16px;font:600 18px ${font};color:#0f766e">Tributary</p>` +
    `<div style="padding:24px;border:1px solid #e4e4e7;border-radius:12px;background:#ffffff;color:#18181b;font:15px/1.5 ${font}">` +
    `<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3">${escapeHtml(subject)}</h1>` +
    paragraphs.map((text) => paragraph(text, '')).join('') +
    shownCode +
    button +
    notes.map((text) => paragraph(text, 'font-size:13px;color:#52525b')).join('') +
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

/** The one look of every mail, as plain text and as HTML. */
export const layOut = (content: MailContent): { subject: string; text: string; html: string } => {
  const clean: MailContent = { ...content, subject: oneLine(content.subject) }
  return { subject: clean.subject, text: text(clean), html: html(clean) }
}
