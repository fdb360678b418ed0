import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { InvalidBlob } from '../blobs/keys.ts'
import { type Files, OtherLength, openFolderFiles } from './folder-files.ts'

let folder: string
let files: Files
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-files-'))
  files = await openFolderFiles(join(folder, 'files'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('parts form a file, a repeated part changes nothing, and a part after a missing one is refused', async () => {
  expect(await files.write('a/b', 0, bytes('one '))).toBe(4)
  expect(await files.write('a/b', 4, bytes('two'))).toBe(7)
  expect(await files.write('a/b', 4, bytes('two'))).toBe(7)
  await expect(files.write('a/b', 8, bytes('x'))).rejects.toThrow(OtherLength)
  await files.sync('a/b')
  expect(await readFile(files.path('a/b'), 'utf8')).toBe('one two')
  expect(await files.write('a/b', 0, bytes('new'))).toBe(3)
  expect(await readFile(files.path('a/b'), 'utf8')).toBe('new')
})

test('a folder lists its files with their bytes, and deleting a folder deletes its files', async () => {
  await files.write('c/d/one', 0, bytes('1'))
  await files.write('c/two', 0, bytes('22'))
  expect((await files.list('c')).map(({ key, bytes: size }) => [key, size])).toEqual([
    ['c/d/one', 1],
    ['c/two', 2],
  ])
  await files.delete('c/d')
  expect((await files.list('c')).map(({ key }) => key)).toEqual(['c/two'])
  await files.delete('c/nothing')
  expect(await files.list('nothing')).toEqual([])
})

test('a key that leads outside the folder is refused', async () => {
  for (const key of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '']) {
    expect(() => files.path(key)).toThrow(InvalidBlob)
    await expect(files.write(key, 0, bytes('x'))).rejects.toThrow(InvalidBlob)
  }
})
