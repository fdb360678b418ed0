import { expect, test } from 'vitest'
import { mediaUrl } from './media.ts'

const plain = { base: 'https://files.example.com/pictures/', buildHash: '' }

test.each([
  ['img/a.png', 'https://files.example.com/pictures/img/a.png'],
  ['/img/a.png', 'https://files.example.com/pictures/img/a.png'],
])('UI-39: the relative path %s is appended to the base URL', (path, address) => {
  expect(mediaUrl(path, undefined, plain)).toBe(address)
})

test.each(['https://x/a.png', 'http://x/a.png', 'data:image/png;base64,AA==', 'blob:http://x/1', ''])(
  '%j is a complete URL and stays unchanged (UI-40)',
  (path) => {
    expect(mediaUrl(path, { maxHeight: 32, maxWidth: 32 }, { ...plain, buildHash: 'b1' })).toBe(path)
  },
)

test('a resized picture names its maximum height and width (UI-41)', () => {
  const { searchParams } = new URL(mediaUrl('a.png', { maxHeight: 32, maxWidth: 48 }, plain))
  expect(Object.fromEntries(searchParams)).toEqual({ 'max-h': '32', 'max-w': '48' })
})

test('UI-42: the hash of the build is added to a resized picture if there is one', () => {
  const size = { maxHeight: 32, maxWidth: 32 }
  expect(mediaUrl('a.png', size, { ...plain, buildHash: 'b1' })).toBe(
    'https://files.example.com/pictures/a.png?max-h=32&max-w=32&hash=b1',
  )
  expect(mediaUrl('a.png', size, plain)).not.toContain('hash')
})
