import { formatSourceSchema, type SourceSchema } from '@tributary/contract'
import { saveJson } from '../../../../lib/browser/save-file.ts'

/** What a schema's file is called: the source's title in small letters, digits and hyphens. */
export const schemaFileName = (title: string, version: number): string => {
  const stem = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `${stem === '' ? 'source' : stem}-schema-v${version}.json`
}

/** Has the browser save a schema as a file of indented JSON. */
export const saveSchemaFile = (name: string, schema: SourceSchema): void =>
  saveJson(name, formatSourceSchema(schema, 2))
