import { expect, test } from 'vitest'
import { readTextFile } from './read-text-file.ts'

const latin1 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (char) => char.charCodeAt(0))

test.each<[string, BlobPart, string]>([
  ['UTF-8', 'José 日本', 'José 日本'],
  ['UTF-8 with its mark', '\ufeffJosé', 'José'],
  ['UTF-16 with its mark', latin1('\xff\xfeJ\0\xe9\0'), 'Jé'],
  ['UTF-16 the other way around', latin1('\xfe\xff\0J\0\xe9'), 'Jé'],
])('a file in %s is read as text', async (_, part, text) => {
  expect(await readTextFile(new Blob([part]))).toBe(text)
})

test.each<[string, BlobPart]>([
  ['Latin-1', latin1('Jos\xe9')],
  ['a character cut in two', latin1('Jos\xc3')],
  ['half of a pair', latin1('\xed\xa0\x80')],
])('a file with %s is refused with a readable message', async (_, part) => {
  await expect(readTextFile(new Blob([part]))).rejects.toThrow('The file is not UTF-8. Save it as UTF-8')
})

test('a file of which only the first bytes are read may end inside a character', async () => {
  expect(await readTextFile(new Blob(['aé']), 2)).toBe('a')
})
