import { stockMessage } from '@tributary/contract'
import { z } from 'zod'
import { type FormHandle, type Rules, useRuledForm, type Values } from '../ui/forms/form-state.ts'

/** The rules of a form whose values a schema accepts, with the texts of the contract for rules that have none. */
export const rulesOf =
  <T extends Values>(schema: z.ZodType<T, T>): Rules<T> =>
  async (values) => {
    const { data, error } = await schema.safeParseAsync(values, { error: stockMessage })
    if (error === undefined) return { values: data }
    // The first problem of a field is shown.
    const problems = error.issues.map(({ path, message }) => [path.join('.'), message] as const).reverse()
    return { problems: Object.fromEntries(problems) }
  }

/** A form whose values a schema accepts. */
export const useApiForm = <T extends Values>(schema: z.ZodType<T, T>, values: T): FormHandle<T> =>
  useRuledForm(rulesOf(schema), values)
