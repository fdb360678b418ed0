import { expect, test } from 'vitest'
import { z } from 'zod'

/** Every reader of the libraries and the language with which the contract parses texts from outside. */
const readers = {
  'an email': (text: string) => z.email().safeParse(text),
  'an address': (text: string) => z.url().safeParse(text),
  base64: (text: string) => z.base64().safeParse(text),
  'a UUID': (text: string) => z.uuid().safeParse(text),
  'a time': (text: string) => z.iso.datetime().safeParse(text),
  'a date': (text: string) => z.iso.date().safeParse(text),
  'a trimmed text': (text: string) => z.string().trim().safeParse(text),
  'a URL': (text: string) => URL.canParse(text) || URL.canParse(`http://${text}/`) || URL.canParse(`http://a/${text}`),
  'a query': (text: string) => [...new URLSearchParams(text)],
  'a date of the language': (text: string) => Date.parse(text),
  JSON: (text: string) => {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  },
}

const pumps = [
  ' ',
  'a',
  '0',
  '=',
  '.',
  'a.',
  'a@',
  '@',
  '-',
  '1-',
  '/',
  '%25',
  '&',
  ':',
  '[',
  '{"a":',
  '"',
  '\\"',
  'T',
  '+',
  '\n',
  'é',
]

test.each(Object.entries(readers))(
  '%s of 60,000 characters is read in linear time, whatever text is repeated',
  (_what, read) => {
    for (const text of pumps) {
      const pumped = text.repeat(60_000 / text.length)
      const before = process.threadCpuUsage()
      for (const given of [pumped, `${pumped}!`, `a${pumped}\0`]) read(given)
      const { user } = process.threadCpuUsage(before)
      expect(user / 1000, `${text} …`).toBeLessThan(1500)
    }
  },
)
