// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { base64Of, imageProblem } from './image-file.ts'

const file = (type: string, name = 'a', bytes = 3): File => new File([new Uint8Array(bytes)], name, { type })

test('ORG-08: a picture needs exactly one file', () => {
  expect(imageProblem([])).toBe('Image is required.')
  expect(imageProblem([file('image/png'), file('image/png')])).toBe('Image is required.')
  expect(imageProblem([file('image/png')])).toBeUndefined()
})

test('ORG-09: a picture of more than 2097152 bytes is refused', () => {
  expect(imageProblem([file('image/png', 'a', 2_097_152)])).toBeUndefined()
  expect(imageProblem([file('image/png', 'a', 2_097_153)])).toBe('Max file size is 2MB.')
})

test.each(['image/jpeg', 'image/jpg', 'image/png', 'image/webp'])(
  'ORG-10: a file of the type %s is accepted',
  (type) => {
    expect(imageProblem([file(type)])).toBeUndefined()
  },
)

test.each([
  ['image/gif', 'a.png', 'jpeg, jpg, png, webp files are accepted.'],
  ['image/svg+xml', 'a.svg', 'jpeg, jpg, png, webp files are accepted.'],
  ['', 'a.gif', 'jpeg, jpg, png, webp files are accepted.'],
  ['', 'a.JPG', undefined],
])('a file of the type %j and the name %s gets the message %j (ORG-10)', (type, name, message) => {
  expect(imageProblem([file(type, name)])).toBe(message)
})

test('a file that is too large and of another type gets the message about its size (ORG-09, ORG-10)', () => {
  expect(imageProblem([file('image/gif', 'a.gif', 2_097_153)])).toBe('Max file size is 2MB.')
})

test('a file is sent as the base64 of its bytes', async () => {
  expect(await base64Of(new File(['abc'], 'a.txt'))).toBe('YWJj')
})
