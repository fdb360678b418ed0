import { expect, test } from 'vitest'
import { withoutEnd, withoutEnds } from './text-ends.ts'

const texts = ['', '/', 'a', '/a', 'a/', '//a/b//', '///', 'a/ /', '- -', '--a-b--', '=a==', 'ab=', '\n/', 'é//']

test.each(texts)('the trimmed ends of %j are the same as with a regular expression', (text) => {
  expect(withoutEnd(text, '/')).toBe(text.replace(/\/+$/, ''))
  expect(withoutEnd(text, '=/')).toBe(text.replace(/[=/]+$/, ''))
  expect(withoutEnds(text, '-')).toBe(text.replaceAll(/^-+|-+$/g, ''))
  expect(withoutEnds(text, ' /')).toBe(text.replaceAll(/^[ /]+|[ /]+$/g, ''))
})
