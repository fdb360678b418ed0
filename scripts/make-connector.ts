import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { catalogFile, catalogText } from './connector-catalog.ts'
import { connectorFiles } from './connector-template.ts'
import { descriptionFiles } from './description-template.ts'

const slugForm = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** Generates the catalog from the folders. Throws if one of the folders has no definition or no logo. */
export const writeCatalog = async (root: string): Promise<void> =>
  writeFileSync(join(root, catalogFile), await catalogText(root))

/**
 * Creates the folder of a new destination, as a description or as code, and generates the catalog again. The check of the
 * connectors reports the missing parts. Throws if the slug is invalid or already used.
 */
export const makeConnector = async (root: string, slug: string, kind: 'description' | 'code'): Promise<string> => {
  const folder = join(root, 'connectors/destinations', slug)
  if (!slugForm.test(slug))
    throw new Error(`"${slug}" is no name: use lower-case letters and digits, words joined by -`)
  if (existsSync(folder)) throw new Error(`connectors/destinations/${slug} already exists`)
  for (const [path, text] of Object.entries(kind === 'code' ? connectorFiles(slug) : descriptionFiles(slug))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  await writeCatalog(root)
  return folder
}
