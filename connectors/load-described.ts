import { readFile } from 'node:fs/promises'
import type { DestinationDefinition } from '@tributary/connector-kit'
import { defineDescribed, readDescription } from '@tributary/connector-kit/description'
import { normalizations } from './wire/normalization/index.ts'

const textOf = (slug: string, file: string): Promise<string> =>
  readFile(new URL(`./destinations/${slug}/${file}`, import.meta.url), 'utf8')

/** Returns the texts of a destination; undefined if it is not described by data. `slug` is one of the catalog. */
export const describedTexts = async (slug: string): Promise<{ description: string; guide: string } | undefined> => {
  try {
    const [description, guide] = await Promise.all([textOf(slug, 'description.json'), textOf(slug, 'guide.md')])
    return { description, guide }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Loads the destination that a folder describes by data. Rejects if the description has a problem. */
export const loadDescribed = async (slug: string): Promise<DestinationDefinition> => {
  const [description, guide] = await Promise.all([textOf(slug, 'description.json'), textOf(slug, 'guide.md')])
  return defineDescribed(readDescription(description, normalizations), guide, normalizations)
}
