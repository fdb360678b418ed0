import { formatSourceSchema, type SourceSchema } from '@tributary/contract'

/** What a schema's file is called: the source's title in small letters, digits and hyphens. */
export const schemaFileName = (title: string, version: number): string => {
  const stem = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
  return `${stem === '' ? 'source' : stem}-schema-v${version}.json`
}

/** Has the browser save a schema as a file of indented JSON. */
export const saveSchemaFile = (name: string, schema: SourceSchema): void => {
  const url = URL.createObjectURL(new Blob([`${formatSourceSchema(schema, 2)}\n`], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
