import { formatSourceSchema, type SourceSchema } from '@tributary/contract'
import { withoutEnds } from '@tributary/kernel/text-ends'
import { saveJson } from '../../../../lib/browser/save-file.ts'

/**
 * Returns the name of the file for a schema, made of the title of the source in lower-case letters, digits and hyphens.
 */
export const schemaFileName = (title: string, version: number): string => {
  const stem = withoutEnds(title.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-'), '-')
  return `${stem === '' ? 'source' : stem}-schema-v${version}.json`
}

/** Saves a schema as a file of indented JSON. */
export const saveSchemaFile = (name: string, schema: SourceSchema): void =>
  saveJson(name, formatSourceSchema(schema, 2))
