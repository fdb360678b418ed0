import { stockMessage } from '@tributary/contract'
import { z } from 'zod'
import { type FormHandle, type Rules, useRuledForm, type Values } from '../ui/forms/form-state.ts'

/** Converts a schema to form rules, with the contract's texts for rules without their own message. */
export const rulesOf =
  <T extends Values>(schema: z.ZodType<T, T>): Rules<T> =>
  async (values) => {
    const { data, error } = await schema.safeParseAsync(values, { error: stockMessage })
    if (error === undefined) return { values: data }
    // Reversed, so that the first problem of each field is the one that is shown.
    const problems = error.issues.map(({ path, message }) => [path.join('.'), message] as const).reverse()
    return { problems: Object.fromEntries(problems) }
  }

/** A form whose values are validated by a schema. */
export const useApiForm = <T extends Values>(schema: z.ZodType<T, T>, values: T): FormHandle<T> =>
  useRuledForm(rulesOf(schema), values)
