import { rm } from 'node:fs/promises'
import { type DataSourceContext, type DataSourceSession, type Scratch } from '@tributary/connector-kit'
import { download, unzippedName, withResponse } from '../../wire/files/download.ts'
import { openFileSession } from '../../wire/files/file-session.ts'
import { createLazySession } from '../../wire/files/lazy-session.ts'
import { formatOf } from '../../wire/files/settings.ts'
import type { FoundObject } from '../../wire/s3/list-page.ts'
import { signRequest } from '../../wire/s3/sign.ts'
import { listObjects, refusalOf } from './list-objects.ts'
import type { S3SourceSettings } from './settings.ts'

/** Maximum objects that the test of a connection names. */
const maxNamed = 10

const sizeText = (bytes: number): string =>
  bytes < 1_000_000
    ? `${Math.ceil(bytes / 1000).toLocaleString('en-US')} kB`
    : `${(bytes / 1_000_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} MB`

const aboutObjects = (objects: readonly FoundObject[]): string => {
  const bytes = sizeText(objects.reduce((sum, each) => sum + each.bytes, 0))
  const names = objects.slice(0, maxNamed).map(({ key }) => key)
  const more = objects.length - names.length
  const list = `${names.join(', ')}${more > 0 ? `, and ${more.toLocaleString('en-US')} more` : ''}`
  return `${objects.length.toLocaleString('en-US')} ${objects.length === 1 ? 'object' : 'objects'}, ${bytes}: ${list}.`
}

/**
 * Opens a session on the current objects that the settings select. The first call for rows or columns lists and
 * downloads the objects to files that the session deletes.
 */
export const openSession = (context: DataSourceContext<S3SourceSettings>, scratch: Scratch): DataSourceSession => {
  const { settings } = context
  const paths: string[] = []

  const downloadAll = async (): Promise<DataSourceSession> => {
    const objects = await listObjects(settings, context)
    const files = objects.map(({ key }, at) => {
      const { isZipped, name } = unzippedName(key)
      return { key, isZipped, name: key, path: `${scratch.path}.${at}`, format: formatOf(settings, name) }
    })
    // All objects together can use the space of one file.
    let left = scratch.maxBytes
    for (const { key, isZipped, path } of files) {
      const address = await signRequest(settings, { method: 'GET', key }, Date.now())
      paths.push(path)
      const to = { path, maxBytes: left, hasRoom: scratch.hasRoom }
      left -= await download({ ...address, isZipped }, to, context, (response) => refusalOf(response, settings.region))
    }
    return openFileSession({ title: settings.objects, files, known: undefined, signal: context.signal })
  }

  return createLazySession({
    fetch: downloadAll,
    async about() {
      const objects = await listObjects(settings, context)
      const [first] = objects
      const request = { method: 'GET', key: first?.key ?? '', headers: { range: 'bytes=0-0' } } as const
      await withResponse(await signRequest(settings, request, Date.now()), 1, context, async (response) => {
        const refusal = await refusalOf(response, settings.region)
        if (refusal !== undefined) throw refusal
      })
      return aboutObjects(objects)
    },
    close: () => Promise.all(paths.map((path) => rm(path, { force: true }))),
  })
}
