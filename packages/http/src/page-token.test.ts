import { AppError } from '@tributary/kernel'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { decodePageToken, encodePageToken, pageScope } from './page-token.ts'

const cursor = z.tuple([z.number(), z.string()])
const scope = pageScope('sources.list', { workspace: 'w' }, { target_product: 'CDP', page_size: 5, page_token: '' })

test('a cursor is decoded from its page token, also if the page size changes', () => {
  const token = encodePageToken(scope, [1, 'ä/+'])
  expect(token).toMatch(/^[\w-]+$/)
  const later = pageScope(
    'sources.list',
    { workspace: 'w' },
    { page_token: token, page_size: 9, target_product: 'CDP' },
  )
  expect(decodePageToken(later, token, cursor)).toEqual([1, 'ä/+'])
  expect(decodePageToken(scope, '', cursor)).toBeUndefined()
})

test.each([
  ['another workspace', pageScope('sources.list', { workspace: 'x' }, { target_product: 'CDP' })],
  ['another filter', pageScope('sources.list', { workspace: 'w' }, {})],
  ['another list', pageScope('events.list', { workspace: 'w' }, { target_product: 'CDP' })],
])('a page token of %s is rejected with 400', (_, other) => {
  const token = encodePageToken(other, [1, 'a'])
  expect(() => decodePageToken(scope, token, cursor)).toThrow(AppError)
})

test.each(['x', '!!', 'e30', encodePageToken(scope, ['1', 'a']), encodePageToken(scope, null)])(
  'the page token %s is rejected with 400',
  (token) => {
    expect(() => decodePageToken(scope, token, cursor)).toThrow(
      expect.objectContaining({ reason: 'INVALID_PAGE_TOKEN' }),
    )
  },
)
