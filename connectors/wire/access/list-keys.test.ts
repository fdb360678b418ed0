import { expect, test } from 'vitest'
import { keysOfPage, listPages } from './list-keys.ts'

const page = (first: number): string[] => Array.from({ length: keysOfPage }, (_, index) => String(first + index))

test('keys are read in pages, each after the last key, until a page is not full', async () => {
  const asked: (string | undefined)[] = []
  const found: string[] = []
  await listPages(
    (last) => {
      asked.push(last)
      return Promise.resolve(last === undefined ? page(0) : ['', 'end'])
    },
    (keys) => {
      found.push(...keys)
      return Promise.resolve()
    },
  )
  expect(asked).toEqual([undefined, String(keysOfPage - 1)])
  expect(found).toEqual([...page(0), 'end'])
})

test.each([
  [
    'never ends is given up at the limit',
    (last: string | undefined) => page(Number(last ?? -1) + 1),
    /more than 1,000 rows/,
  ],
  ['answers the same page again and again is given up at once', () => page(0), /the same rows again/],
])('a server that %s', async (_, answer, message) => {
  let handed = 0
  const listed = listPages(
    (last) => Promise.resolve(answer(last)),
    (keys) => {
      handed += keys.length
      return Promise.resolve()
    },
    1000,
  )
  await expect(listed).rejects.toThrow(message)
  expect(handed).toBeLessThanOrEqual(1000)
})
