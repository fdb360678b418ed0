import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFaultHandler } from '@tributary/kernel'
import { afterAll, describe, expect, it } from 'vitest'
import { blobsConformance } from '../conformance.ts'
import { openFolderBlobs } from './folder-blobs.ts'

const root = mkdtempSync(join(tmpdir(), 'tributary-blobs-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let counter = 0
const fresh = (): string => join(root, String((counter += 1)), 'blobs')

blobsConformance('folder', () => openFolderBlobs(fresh()))

describe('blobs in a folder', () => {
  it('a folder keeps the old object complete if writing the new one fails before the rename, and leaves no draft', async () => {
    const folder = fresh()
    const blobs = await openFolderBlobs(folder)
    await blobs.put('k', Buffer.from('old'), 'text/plain')
    setFaultHandler((point) => {
      if (point === 'blob-before-rename') throw new Error('stopped here')
    })
    try {
      await expect(blobs.put('k', Buffer.from('new'), 'text/plain')).rejects.toThrow('stopped here')
    } finally {
      setFaultHandler(undefined)
    }
    expect(Buffer.from((await blobs.get('k'))?.body ?? []).toString()).toBe('old')
    expect(readdirSync(folder)).toEqual(['k~'])
  })

  it('a folder removes old drafts of a killed process when it is opened, but no recent draft', async () => {
    const folder = fresh()
    mkdirSync(join(folder, 'a'), { recursive: true })
    writeFileSync(join(folder, 'a', '~old'), 'half')
    utimesSync(join(folder, 'a', '~old'), 1, 1)
    writeFileSync(join(folder, 'a', '~young'), 'half')
    const blobs = await openFolderBlobs(folder)
    expect(await blobs.list('')).toEqual([])
    expect(readdirSync(join(folder, 'a'))).toEqual(['~young'])
  })

  it('a blob is still there when the folder is opened again', async () => {
    const folder = fresh()
    await (await openFolderBlobs(folder)).put('a/b', Buffer.from('x'), 'text/plain')
    expect(await (await openFolderBlobs(folder)).list('a')).toEqual(['a/b'])
  })
})
