import { parseSourceSchema, pointerNames, SchemaError, type SourceSchema } from '@tributary/contract'
import { Mistake, offsetOfNames, walkJson } from '../../../../lib/format/json-places.ts'

/** The source schema of a text, or its first error with a character offset. */
export type SchemaText = { readonly schema: SourceSchema } | { readonly message: string; readonly offset: number }

/** Parses the text of an edited schema; an error has its position in the text. */
export const readSchemaText = (text: string): SchemaText => {
  try {
    walkJson(text, () => undefined)
    return { schema: parseSourceSchema(text) }
  } catch (error) {
    if (error instanceof Mistake) return { message: error.message, offset: error.offset }
    if (error instanceof SchemaError)
      return { message: error.message, offset: offsetOfNames(text, pointerNames(error.pointer) ?? []) }
    throw error
  }
}
