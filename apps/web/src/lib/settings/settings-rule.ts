import type { SettingOption, SettingValue } from '@tributary/contract'
import { z } from 'zod'
import { isShown, settingProblem } from './setting-values.ts'

/** The settings of a form, in the form in which they are typed. */
export const formSettings = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.string()), z.null()]),
)

/** Reports each applicable setting of a form with an invalid value. */
export const checkSettings =
  (options: readonly SettingOption[]) =>
  (values: { settings: Record<string, SettingValue> }, context: z.RefinementCtx): void => {
    for (const option of options.filter((each) => isShown(each, values.settings))) {
      const message = settingProblem(option, values.settings[option.name])
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['settings', option.name], message })
    }
  }
