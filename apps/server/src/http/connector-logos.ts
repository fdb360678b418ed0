import { readFile } from 'node:fs/promises'
import { listedDataSources, listedDestinations, listedSources, logoFile } from '@tributary/connectors'

/** A picture with its content type. */
export type Logo = { contentType: string; body: Buffer }

/** Reads connector logos by the key in their URL below `/media/`; undefined for a key that no connector has now. */
export const createConnectorLogos = (): ((key: string) => Promise<Logo | undefined>) => {
  const files = new Map([
    ...listedDataSources.map(({ slug, icon }): [string, URL] => [icon, logoFile('data-sources', slug)]),
    ...listedDestinations.map(({ slug, icon }): [string, URL] => [icon, logoFile('destinations', slug)]),
    ...listedSources.map(({ slug, icon }): [string, URL] => [icon, logoFile('sources', slug)]),
  ])
  return async (key) => {
    const file = files.get(`/media/${key}`)
    return file === undefined ? undefined : { contentType: 'image/svg+xml', body: await readFile(file) }
  }
}
