import { expect, test } from 'vitest'
import { docsAddress } from './docs.ts'
import { responseCause } from './events/response-cause.ts'
import { deviceName } from './format/device.ts'
import { formatJson } from './format/json-text.ts'
import { parseMarkup } from './format/markup.ts'

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  JSON: formatJson,
  'a page that a destination answered': (body) => responseCause(`HTTP 500\n\n<${body}`),
  'a description': parseMarkup,
  'an address of a screen': (pathname) => docsAddress({ pathname: `/workspaces/a${pathname}`, hash: '' }),
  'the name of a browser': deviceName,
}

const pumps = [
  ' ',
  's',
  '<',
  '/',
  '"',
  '\\"',
  '<title',
  '<script',
  '<style',
  'Version/',
  '- ',
  '** ',
  '**a',
  '>',
  '[a](',
  '`',
]

test.each(Object.entries(readers))(
  '%s of 60,000 characters is read in linear time, whatever text is repeated',
  (_what, read) => {
    for (const pump of pumps)
      for (const text of [`${pump.repeat(60_000 / pump.length)}x`, `"${pump.repeat(60_000 / pump.length)}\n/`]) {
        const before = performance.now()
        read(text)
        // Code that takes linear time needs some milliseconds here; code that takes quadratic time needed 4 s and more.
        expect(performance.now() - before, `${pump} …`).toBeLessThan(2500)
      }
  },
)

/** Returns all texts of up to `longest` of these pieces. */
const textsOf = (pieces: readonly string[], longest: number): string[] => {
  let texts = ['']
  const all = ['']
  for (let count = 0; count < longest; count++) {
    texts = texts.flatMap((text) => pieces.map((piece) => text + piece))
    all.push(...texts)
  }
  return all
}

test("the linear-time reader finds the same cause in a destination's page as the former reader", () => {
  const before = (body: string): string => {
    const title = /<title[^>]*>([^<]*)</i.exec(body)?.[1] ?? ''
    const shown =
      title.trim() === '' ? body.replaceAll(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replaceAll(/<[^>]*>/g, ' ') : title
    return (
      shown
        .split('\n')
        .map((line) => line.trim())
        .find((line) => line !== '') ?? ''
    ).replaceAll(/\s+/g, ' ')
  }
  const pieces = ['<title>', 'b<', '>', '</title>', '<script', '</script>', '<style', '</style>', ' c']
  const texts = textsOf(pieces, 5).map((text) => `<p>${text}`)
  expect(texts.filter((text) => responseCause(`HTTP 500\n\n${text}`) !== before(text))).toEqual([])
})
