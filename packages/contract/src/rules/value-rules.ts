import { z } from 'zod'
import { title } from '../api/fields.ts'

/** The title of a resource that has no specific rule: at least 2 characters. */
export const genericTitle = title.min(2, 'At least 2 characters')

/** The title of a destination: at least 4 characters. */
export const destinationTitle = title.min(4, 'At least 4 characters')

/** The units of a time interval. */
export const intervalUnits = ['day', 'month'] as const

const intervalLimits = {
  day: { max: 90, message: "Days can't exceed an interval of 90 days" },
  month: { max: 3, message: "Months can't exceed an interval of 3 months" },
} as const

/** A number of last days or months: a whole number above 0, at most 90 days or 3 months. */
export const timeInterval = z
  .object({
    unit: z.enum(intervalUnits),
    value: z.number().int('Only numbers are allowed').gt(0, 'Must be greater than 0'),
  })
  .superRefine(({ unit, value }, context) => {
    const { max, message } = intervalLimits[unit]
    if (value > max) context.addIssue({ code: 'custom', path: ['value'], message })
  })
export type TimeInterval = z.infer<typeof timeInterval>

/** A text of digits only. */
export const digits = z
  .string()
  .trim()
  .min(1, 'Required')
  .regex(/^[0-9]+$/, 'Only numbers are allowed')

/** A list of texts that users typed as numbers: at least one text, and each is a number. */
export const numberList = z
  .array(z.string().trim())
  .min(1, 'Please submit at least one element')
  .refine(
    (elements) => elements.every((element) => element !== '' && Number.isFinite(Number(element))),
    'Elements must be numbers',
  )

/** The chosen one of several values. */
export const selectedValue = z.string().min(1, 'Required')
