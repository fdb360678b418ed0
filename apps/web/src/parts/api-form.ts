import { zodResolver } from '@hookform/resolvers/zod'
import { stockMessage } from '@tributary/contract'
import type { DefaultValues, Resolver, UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { useRuledForm } from '../ui/form.tsx'

/** The rules of a form whose values a schema accepts, with the texts of the contract for rules that have none. */
export const rulesOf = <T extends Record<string, unknown>>(schema: z.ZodType<T, T>): Resolver<T, unknown, T> =>
  zodResolver(schema, { error: stockMessage })

/** A form whose values a schema accepts. */
export const useApiForm = <T extends Record<string, unknown>>(
  schema: z.ZodType<T, T>,
  defaultValues: DefaultValues<T>,
): UseFormReturn<T, unknown, T> => useRuledForm(rulesOf(schema), defaultValues)
